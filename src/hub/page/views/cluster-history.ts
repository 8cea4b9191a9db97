// SPDX-License-Identifier: Apache-2.0
import { create } from "@bufbuild/protobuf";
import { type HistoryEntry, HistoryEntrySchema } from "../../../gen/flotilla/page/v1/page_pb.ts";
import type { SessionHistoryEvent } from "../../history/session-history.ts";
import type { StoredTransition } from "../../history/transition-history.ts";
import { maxHistoryCount } from "../page-limits.ts";

/** A state transition as a history entry. */
export function toStateEntry({ to, reason, sentence, atMs }: Omit<StoredTransition, "cluster">): HistoryEntry {
  return create(HistoryEntrySchema, { what: "state", atWallMs: BigInt(Math.round(atMs)), state: to, reason, sentence });
}

/** A session event as a history entry. */
export function toSessionEntry({
  what,
  atMs,
  reason,
  sentence,
  agentId,
  address,
  epoch,
}: SessionHistoryEvent): HistoryEntry {
  const atWallMs = BigInt(Math.round(atMs));
  return create(HistoryEntrySchema, { what, atWallMs, reason, sentence, agentId, address, epoch: BigInt(epoch) });
}

/**
 * Merges lists, newest first, and drops duplicates of entries that were both stored and received live. A state counts
 * as newer than the session event that caused it at the same time.
 */
export function mergeHistory(...lists: readonly (readonly HistoryEntry[])[]): HistoryEntry[] {
  const entries = new Map<string, HistoryEntry>();
  for (const entry of lists.flat()) entries.set(keyOf(entry), entry);
  return [...entries.values()].sort(compareAge).slice(0, maxHistoryCount);
}

function compareAge(a: HistoryEntry, b: HistoryEntry): number {
  if (a.atWallMs !== b.atWallMs) return a.atWallMs > b.atWallMs ? -1 : 1;
  return Number(a.what !== "state") - Number(b.what !== "state");
}

function keyOf({ what, atWallMs, state, reason, agentId, epoch }: HistoryEntry): string {
  return JSON.stringify([what, String(atWallMs), state, reason, agentId, String(epoch)]);
}

/** Entries of all clusters kept until they are stored. Beyond this the oldest are dropped, which are stored by then. */
const maxRecentCount = 1_024;

/** Recent entries, so that a history loaded from the store also has those that are not stored yet. */
export class RecentHistory {
  #recent: { readonly cluster: string; readonly entry: HistoryEntry }[] = [];

  add(cluster: string, entry: HistoryEntry): void {
    this.#recent.push({ cluster, entry });
    if (this.#recent.length > 2 * maxRecentCount) this.#recent = this.#recent.slice(-maxRecentCount);
  }

  /** Newest first. */
  of(cluster: string): readonly HistoryEntry[] {
    return this.#recent
      .filter((each) => each.cluster === cluster)
      .map(({ entry }) => entry)
      .reverse();
  }
}
