// SPDX-License-Identifier: Apache-2.0
import { createClient } from "@connectrpc/connect";
import { FlotillaError, toFlotillaError } from "../base/error.ts";
import { type Cluster, ClusterService } from "../gen/flotilla/fleet/v1/fleet_pb.ts";
import { loadKubeconfig } from "../kube/credentials/load-kubeconfig.ts";
import { type Kubeconfig, resolveContext, selectContexts } from "../kube/credentials/parse-kubeconfig.ts";
import { isDnsLabel } from "../model/dns-name.ts";
import { quote } from "../model/text.ts";
import { toClusterObject } from "./cluster-view.ts";
import type { HubCall } from "./hub-call.ts";
import { say } from "./io.ts";
import { printResult } from "./output.ts";
import { assertNoProgram, toSelfContained } from "./self-contained-kubeconfig.ts";
import { toTerminalText } from "./terminal-text.ts";

/** Which contexts are imported, and as what. */
export interface ImportChoice {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  /** A glob. */
  readonly allContexts: string | undefined;
  readonly as: string | undefined;
  readonly region: string;
  readonly environment: string;
  /** `KEY=VALUE`. */
  readonly labels: readonly string[];
}

/** One cluster to be imported. Holds credentials: never printed. */
export interface PreparedImport {
  readonly id: string;
  readonly kubeconfig: string;
  readonly region: string;
  readonly environment: string;
  readonly labels: Record<string, string>;
}

/**
 * Reads the chosen contexts and makes each self-contained. Throws CONFIG_INVALID for the first that cannot be imported, before anything is sent: of
 * several either all are asked for or none.
 */
export async function prepareImports(
  choice: ImportChoice,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<readonly PreparedImport[]> {
  const config = await loadKubeconfig({ file: choice.kubeconfig, environment });
  const names = chooseContexts(config, choice);
  const labels = Object.fromEntries(choice.labels.map((pair) => splitPair(pair)));
  const prepared: PreparedImport[] = [];
  for (const name of names) {
    const id = choice.as ?? name;
    if (!isDnsLabel(id)) {
      const way = names.length === 1 ? "name it with --as" : "import it alone and name it with --as";
      throw new FlotillaError(
        "CONFIG_INVALID",
        `context ${quote(name)} is no name for a cluster, which has lower-case letters, digits and inner dashes, at most 63; ${way}`,
      );
    }
    assertNoProgram(config, name);
    const kubeconfig = await toSelfContained(resolveContext(config, name));
    prepared.push({ id, kubeconfig, region: choice.region, environment: choice.environment, labels });
  }
  return prepared;
}

function chooseContexts(config: Kubeconfig, { context, allContexts, as }: ImportChoice): readonly string[] {
  if (allContexts === undefined) return [resolveContextName(config, context)];
  if (context !== undefined) {
    throw new FlotillaError("CONFIG_INVALID", "--context and --all-contexts exclude each other; give one of them");
  }
  const names = selectContexts(config, allContexts);
  if (names.length === 0) {
    throw new FlotillaError(
      "CONFIG_INVALID",
      `no context fits --all-contexts ${quote(allContexts)}; \`kubectl config get-contexts\` shows those there are`,
    );
  }
  if (as !== undefined && names.length > 1) {
    throw new FlotillaError("CONFIG_INVALID", `--as names one cluster, but ${names.length} contexts were chosen`);
  }
  return names;
}

/** The named context, or the current one; one that is not there is told by `resolveContext`, which knows those there are. */
function resolveContextName(config: Kubeconfig, context: string | undefined): string {
  const name = context ?? config.currentContext;
  return name !== undefined && config.contexts.has(name) ? name : resolveContext(config, name).name;
}

function splitPair(pair: string): [string, string] {
  const at = pair.indexOf("=");
  return [pair.slice(0, at), pair.slice(at + 1)];
}

/** Calls at once: the hub asks each cluster who it is, and one that hangs should not make the others wait. */
const callCount = 8;

/** Has the hub import them. One that fails keeps no other from being imported; all failures are told, and then it throws. */
export async function importClusters(call: HubCall, prepared: readonly PreparedImport[]): Promise<void> {
  const { transport, io, output, signal } = call;
  const client = createClient(ClusterService, transport);
  const imported: Cluster[] = [];
  const unreached = new Map<string, string>();
  const failures: FlotillaError[] = [];
  const waiting = [...prepared];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      try {
        const answer = await client.importCluster(next, { signal });
        const { cluster } = answer;
        if (cluster === undefined) throw new FlotillaError("MALFORMED", "the hub answered without the cluster");
        imported.push(cluster);
        if (answer.unreached !== "") unreached.set(cluster.id, answer.unreached);
      } catch (reason) {
        if (signal.aborted || prepared.length === 1) throw reason;
        failures.push(toFlotillaError(reason));
        say(io, toTerminalText(`${next.id}: ${toFlotillaError(reason).message}`));
      }
    }
  };
  await Promise.all(Array.from({ length: callCount }, work));
  imported.sort((a, b) => (a.id < b.id ? -1 : 1));
  if (imported.length > 0) {
    const text = imported.map(({ id }) => `${toTerminalText(id)} is imported\n`).join("");
    await printResult(io.stdout, output, { value: { clusters: imported.map(toClusterObject) }, text });
    for (const { id } of imported) {
      const detail = unreached.get(id);
      if (detail !== undefined)
        say(io, toTerminalText(`${id} does not answer yet: ${detail}; it is connected as soon as it does`));
    }
  }
  const [first] = failures;
  if (first === undefined) return;
  throw new FlotillaError(first.code, `${failures.length} of ${prepared.length} clusters were not imported`);
}
