// SPDX-License-Identifier: Apache-2.0
// The agents of imported clusters, beside the hub: which of them run follows what the store holds.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { toParts } from "../agent/identity/identity-record.ts";
import { isCancellation } from "../base/abort.ts";
import { toFlotillaError } from "../base/error.ts";
import type { ImportListener } from "../hub/imports/import-desk.ts";
import type { ImportRecord } from "../hub/imports/import-record.ts";
import { type AgentSurroundings, keepAgent, openAgentFolder } from "./fleet-agents.ts";

export interface ImportedAgentsOptions extends AgentSurroundings {
  /** Tells of every import there is, then of each change, until the signal aborts. */
  readonly follow: (listener: ImportListener, signal: AbortSignal) => Promise<void>;
  /** What the hub calls itself; the agents' keys are registered under it. */
  readonly hubName: string;
  readonly allowsLoopback: boolean;
}

interface ImportedAgent {
  readonly stop: AbortController;
  /** Resolves when the agent is gone. */
  readonly done: Promise<void>;
}

/**
 * Keeps an agent for each imported cluster: starts it when the cluster is imported or the hub starts, ends it when the cluster is removed, begins it
 * anew with another credential. Of one cluster only one runs at a time. Disposing ends them all in good order.
 */
export function startImportedAgents(options: ImportedAgentsOptions): AsyncDisposable {
  const { log } = options;
  const folder = openAgentFolder(options.folder);
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
      log.error("the agent of an imported cluster cannot run", {
        cluster: id,
        reason: toFlotillaError(reason).message,
      });
    });
    agents.set(id, { stop, done });
    if (record === undefined) void done.then(() => agents.get(id)?.stop === stop && agents.delete(id));
  };

  const following = options.follow(set, closing.signal).catch((reason: unknown) => {
    if (isCancellation(closing.signal, reason)) return;
    log.error("imported clusters are no longer followed", { reason: toFlotillaError(reason).message });
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

/** The kubeconfig goes through a pipe: on disk it is in the store alone, encrypted (L18). */
async function runImported(
  options: ImportedAgentsOptions,
  { id, record, keyFile }: { readonly id: string; readonly record: ImportRecord; readonly keyFile: string },
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return;
  const { kubeconfig, context, privateKeyPem, region, environment } = record;
  const identity = { clusterId: id, hubName: options.hubName, privateKeyPem, tokenMark: "", nextPrivateKeyPem: "" };
  rmSync(keyFile, { force: true }); // an earlier one may have another mode
  writeFileSync(keyFile, `${JSON.stringify(Object.fromEntries(toParts(identity)))}\n`, { mode: 0o600 });
  const flags = {
    region,
    environment,
    kubeconfig: "-",
    context,
    "key-file": keyFile,
    "allow-loopback-imports": options.allowsLoopback,
  };
  await keepAgent(options, { id, flags, input: kubeconfig }, signal);
}
