// SPDX-License-Identifier: Apache-2.0
// Verbs that change a cluster's registration.
import { createClient } from "@connectrpc/connect";
import { FlotillaError } from "../../base/error.ts";
import { type Cluster, ClusterService } from "../../gen/flotilla/fleet/v1/fleet_pb.ts";
import type { HubCall } from "../hub/hub-call.ts";
import { say } from "../output/io.ts";
import { printResult } from "../output/output.ts";
import { toTerminalText } from "../output/terminal-text.ts";
import { toClusterObject } from "./print-cluster.ts";
import { removalCommand } from "./removal-command.ts";

/** Pauses a cluster (its agent stays connected and sends no rows, its rows age) or resumes it. */
export function setPaused(call: HubCall, id: string, isPaused: boolean): Promise<void> {
  return update(call, { id, isPaused }, isPaused ? "is paused" : "is resumed");
}

/** Approves a cluster that joined with a token that needs approval. */
export function approveCluster(call: HubCall, id: string): Promise<void> {
  return update(call, { id, approve: true }, "is approved");
}

/**
 * Accepts the cluster with this uid as the replacement of the registered one. The hub accepts only a uid that it has
 * refused (SE7).
 */
export async function acceptReplacement(call: HubCall, id: string, uid: string, isSure: boolean): Promise<void> {
  const question = `From now on ${id} is the cluster with uid ${uid}; the agent of the present one is disconnected and its rows are replaced. Continue?`;
  await confirm(call, toTerminalText(question), isSure);
  await update(call, { id, acceptReplacementUid: uid }, `is now the cluster with uid ${uid}`);
}

/** Sets labels (`key=value`) and removes them (`key-`), as kubectl writes them. */
export function labelCluster(call: HubCall, id: string, changes: readonly string[]): Promise<void> {
  return update(call, { id, ...parseLabelChanges(changes) }, "is labelled");
}

/** `key=value` sets, `key-` removes. Throws INVALID_ARGUMENT for anything else, and for a key in both. */
export function parseLabelChanges(changes: readonly string[]): {
  readonly setLabels: Record<string, string>;
  readonly removeLabels: string[];
} {
  const set = new Map<string, string>();
  const removed: string[] = [];
  for (const change of changes) {
    const at = change.indexOf("=");
    if (at > 0) set.set(change.slice(0, at), change.slice(at + 1));
    else if (at === -1 && change.length > 1 && change.endsWith("-")) removed.push(change.slice(0, -1));
    else
      throw new FlotillaError(
        "INVALID_ARGUMENT",
        `"${change}" is not a label change; write key=value, or key- to remove it`,
      );
  }
  const both = removed.find((key) => set.has(key));
  if (both !== undefined)
    throw new FlotillaError("INVALID_ARGUMENT", `label "${both}" cannot be set and removed at once`);
  return { setLabels: Object.fromEntries(set), removeLabels: removed };
}

/** Makes the cluster's agent retry its API server now, and prints the result; the agent may not be connected. */
export async function retryCluster({ transport, io, output, signal }: HubCall, id: string): Promise<void> {
  const { wasAsked, sentence } = await createClient(ClusterService, transport).retryCluster({ id }, { signal });
  await printResult(io.stdout, output, { value: { id, wasAsked, sentence }, text: `${toTerminalText(sentence)}\n` });
}

/**
 * Removes a cluster and its rows after a confirmation that lists what is lost (CL1). Prints the command that deletes
 * what remains in the cluster itself (IN21).
 */
export async function removeCluster(call: HubCall, id: string, isSure: boolean): Promise<void> {
  const { transport, io, output, signal } = call;
  const client = createClient(ClusterService, transport);
  const { cluster } = await client.getCluster({ id }, { signal });
  const deleted = `Removing ${id} deletes its registration, its keys, its ${cluster?.rowCount ?? 0n} rows and their past states from the hub, and cannot be undone.`;
  const kept = `Kept until they expire: its audit records (flotilla audit ${id}) and the history of its connection, which a cluster that joins as ${id} shows again.`;
  const question = `${deleted} ${kept} (flotilla cluster pause ${id} keeps the rows.) Remove ${id}?`;
  await confirm(call, toTerminalText(question), isSure);
  await client.removeCluster({ id }, { signal });
  const command = removalCommand(cluster?.source ?? "");
  const value = { id, removed: true, ...(command === undefined ? {} : { removalCommand: command }) };
  await printResult(io.stdout, output, { value, text: `${toTerminalText(id)} is removed\n` });
  if (command !== undefined && output === "text")
    say(io, `the objects that Flotilla created in the cluster remain; delete them with: ${command}`);
}

/**
 * Prints a join token with which the cluster's agent registers a new key. In text format only the token goes to
 * standard output.
 */
export async function rotateKey(
  { transport, io, output, signal }: HubCall,
  id: string,
  revoke: boolean,
): Promise<void> {
  const { joinToken } = await createClient(ClusterService, transport).rotateKey({ id, revoke }, { signal });
  if (output === "text") {
    const old = revoke
      ? "the old key is revoked, and the cluster is disconnected until then"
      : "the running agent keeps the old key, which is revoked when the new one is first used; --revoke revokes it at once, for a key that may have leaked";
    say(io, toTerminalText(`start the agent of ${id} with this join token within an hour; ${old}`));
  }
  await printResult(io.stdout, output, { value: { id, joinToken }, text: `${toTerminalText(joinToken)}\n` });
}

async function update(
  { transport, io, output, signal }: HubCall,
  request: Parameters<ReturnType<typeof createClient<typeof ClusterService>>["updateCluster"]>[0],
  what: string,
): Promise<void> {
  const { cluster } = await createClient(ClusterService, transport).updateCluster(request, { signal });
  const text = `${toTerminalText(`${request.id ?? ""} ${what}`)}\n`;
  await printResult(io.stdout, output, { value: objectOf(cluster), text });
}

function objectOf(cluster: Cluster | undefined): ReturnType<typeof toClusterObject> {
  if (cluster === undefined) throw new FlotillaError("MALFORMED", "the hub answered without the cluster");
  return toClusterObject(cluster);
}

/**
 * Asks for confirmation of a change that is hard to undo. `isSure` (`--yes`) skips the question. Throws
 * INVALID_ARGUMENT if the answer is no, or if there is no terminal to ask on.
 */
async function confirm(
  { io, signal }: Pick<HubCall, "io" | "signal">,
  question: string,
  isSure: boolean,
): Promise<void> {
  if (isSure) return;
  if (io.ask === undefined)
    throw new FlotillaError("INVALID_ARGUMENT", `${question} Not run from a terminal: add --yes to confirm`);
  const answer = await io.ask(`${question} [y/N] `, signal);
  if (!/^y(es)?$/i.test(answer.trim())) throw new FlotillaError("INVALID_ARGUMENT", "nothing was changed");
}
