// SPDX-License-Identifier: Apache-2.0
// The agents of imported clusters, run by the hub. The imports in the store decide which agents run.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { toParts } from "../../agent/identity/identity-record.ts";
import { isCancellation } from "../../base/abort.ts";
import { toFlotillaError } from "../../base/error.ts";
import type { ImportListener } from "../../hub/imports/cluster-imports.ts";
import type { ImportRecord } from "../../hub/imports/import-record.ts";
import { type AgentLaunchSettings, keepAgent, openAgentFolder } from "./fleet-agents.ts";

export interface ImportedAgentsOptions {
  readonly launch: AgentLaunchSettings;
  /** Calls the listener for every import, then for each change, until the signal aborts. */
  readonly follow: (listener: ImportListener, signal: AbortSignal) => Promise<void>;
  /** The hub's name, under which the agents' keys are registered. */
  readonly hubName: string;
  readonly allowsLoopback: boolean;
}

interface ImportedAgent {
  readonly stop: AbortController;
  /** Resolves when the agent has stopped. */
  readonly done: Promise<void>;
}

/**
 * Runs an agent for each imported cluster: starts it when the cluster is imported or the hub starts, stops it when the
 * cluster is removed, restarts it with a new credential. At most one runs per cluster. Disposing stops them all.
 */
export function startImportedAgents(options: ImportedAgentsOptions): AsyncDisposable {
  const { launch, follow } = options;
  const { log } = launch;
  const folder = openAgentFolder(launch.folder);
  const closing = new AbortController();
  const agents = new Map<string, ImportedAgent>();

  const set = (id: string, record: ImportRecord | undefined): void => {
    const before = agents.get(id);
    before?.stop.abort(new Error("the import was changed"));
    const stop = new AbortController();
    const keyFile = join(folder, `${id}.json`);
    const run = async (): Promise<void> => {
      await before?.done;
      if (record === undefined) rmSync(keyFile, { force: true });
      else await runImported(options, { id, record, keyFile }, stop.signal);
    };
    const done = run().catch((reason: unknown) => {
      log.error("agent of an imported cluster cannot run", {
        cluster: id,
        reason: toFlotillaError(reason).message,
      });
    });
    agents.set(id, { stop, done });
    if (record === undefined) void done.then(() => agents.get(id)?.stop === stop && agents.delete(id));
  };

  const following = follow(set, closing.signal).catch((reason: unknown) => {
    if (isCancellation(closing.signal, reason)) return;
    log.error("watch of imported clusters ended", { reason: toFlotillaError(reason).message });
  });
  return {
    async [Symbol.asyncDispose]() {
      closing.abort(new Error("the fleet is closing"));
      await following;
      for (const { stop } of agents.values()) stop.abort(closing.signal.reason);
      await Promise.all([...agents.values()].map(({ done }) => done));
    },
  };
}

/** The kubeconfig is passed through a pipe: on disk it exists only in the store, encrypted (L18). */
async function runImported(
  { launch, hubName, allowsLoopback }: ImportedAgentsOptions,
  { id, record, keyFile }: { readonly id: string; readonly record: ImportRecord; readonly keyFile: string },
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return;
  const { kubeconfig, context, privateKeyPem, region, environment } = record;
  const identity = { clusterId: id, hubName, privateKeyPem, tokenMark: "", nextPrivateKeyPem: "" };
  rmSync(keyFile, { force: true }); // an earlier one may have another mode
  writeFileSync(keyFile, `${JSON.stringify(Object.fromEntries(toParts(identity)))}\n`, { mode: 0o600 });
  const flags = {
    region,
    environment,
    kubeconfig: "-",
    context,
    "key-file": keyFile,
    "allow-loopback-imports": allowsLoopback,
  };
  await keepAgent(launch, { id, flags, input: kubeconfig }, signal);
}
