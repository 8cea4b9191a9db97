// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "@bufbuild/protobuf";
import type { RunFile } from "../../cli/run-file.ts";
import type { HubProcess } from "../hub/hub-parts.ts";
import type { OwnFleetPlan } from "../hub/own-fleet.ts";
import { toLogLevel } from "../runtime/log-level.ts";
import { defineVerb, type Runtime, type Verb } from "./verb.ts";

/**
 * `up`: a hub, playground clusters and adopted clusters, with embedded defaults. Prints `ready` once the hub and its
 * own clusters answer.
 */
const upVerb = defineVerb({
  name: "up",
  summary: "Runs Flotilla on this machine: a hub with its store, playground clusters, and agents for real clusters.",
  load: async () => {
    const { printOneOfMany } = await import("../../cli/output/output.ts");
    const { createProgress } = await import("../../cli/output/progress.ts");
    const { adoptContexts } = await import("./adopt-contexts.ts");
    const { toLoginLine } = await import("../hub/login-line.ts");
    const { findOpener, openPage } = await import("../hub/open-page.ts");
    const { planUpFleet } = await import("../up/up-fleet.ts");
    const { chooseKinds } = await import("../../kinds/choose-kinds.ts");
    const run = await loadServeHub();
    return async ({ config: given, runtime }) => {
      const progress = createProgress(runtime.io, given.output);
      const { io } = progress;
      const config = { ...given, logLevel: toLogLevel(given.logLevel, io.stderr.isTerminal) };
      chooseKinds({ kinds: config.kinds, excludeKinds: [] }); // refuses a wrong name here, and not in each agent
      const adopted = await adoptContexts({
        kubeconfig: config.kubeconfig,
        context: config.context,
        environment: io.env,
      });
      using opened = new DisposableStack();
      const onReady: OnReady = async (record, createLink) => {
        const { link, text: loginLine } = toLoginLine(io, createLink, config);
        const text = `${readyLine(record)}${loginLine}`;
        progress.clear();
        await printOneOfMany(io.stdout, config.output, { value: toJson(record), text });
        const opener = config.open ? findOpener(io, process.platform) : undefined;
        if (link !== undefined && opener !== undefined) opened.use(openPage(link, opener, config.dataDir));
      };
      try {
        await run(
          config,
          { ...runtime, io },
          { onReady, onProgress: progress.show },
          planUpFleet({ playgroundCount: config.clusters, adopted, kinds: config.kinds }),
        );
      } finally {
        progress.clear();
      }
    };
  },
});

const hubVerb = defineVerb({
  name: "hub",
  summary: "Runs the hub alone.",
  load: async () => {
    const run = await loadServeHub();
    return ({ config, runtime }) =>
      run(config, runtime, { onReady: (record) => runtime.io.stdout.write(readyLine(record)) });
  },
});

type OnReady = HubProcess["onReady"];

/** The verbs that run a hub. */
export const hubVerbs: readonly Verb[] = [upVerb, hubVerb];

async function loadServeHub() {
  process.umask(0o077); // a hub's files are readable by its user only
  const { serveHub } = await import("../hub/serve-hub.ts");
  const { systemClock } = await import("../../base/time/system-clock.ts");
  const { systemRandom } = await import("../../base/system-random.ts");
  return (
    config: Parameters<typeof serveHub>[0],
    { io, signal, version }: Runtime,
    listeners: Pick<HubProcess, "onReady" | "onProgress">,
    ownFleet?: OwnFleetPlan,
  ): Promise<void> => {
    const hubProcess = {
      io,
      clock: systemClock,
      random: systemRandom,
      pid: process.pid,
      program: [process.execPath, ...process.execArgv, process.argv[1] ?? ""] as const,
      version: version.version,
      ...listeners,
    };
    return serveHub(config, hubProcess, signal, ownFleet);
  };
}

function readyLine({ hubUrl, httpUrl, clusters, adopted, kubeconfig }: RunFile): string {
  const adoptedLine = adopted.length === 0 ? "" : `Adopted clusters: ${adopted.map(({ id }) => id).join(", ")}.\n`;
  const ready = `Flotilla is ready at ${hubUrl} (and ${httpUrl} on this machine).\n${adoptedLine}`;
  if (clusters.length === 0) return ready;
  const names = clusters.map(({ id }) => id).join(", ");
  return `${ready}Playground clusters: ${names}. Look around: flotilla cluster list, kubectl --kubeconfig ${kubeconfig} get pods -A\n`;
}

function toJson({ clusters, adopted, ...record }: RunFile): JsonObject {
  return {
    ...record,
    clusters: clusters.map((cluster) => ({ ...cluster })),
    adopted: adopted.map((cluster) => ({ ...cluster })),
  };
}
