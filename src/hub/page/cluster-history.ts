// SPDX-License-Identifier: Apache-2.0
import { create } from "@bufbuild/protobuf";
import { type HistoryEntry, HistoryEntrySchema } from "../../gen/flotilla/page/v1/page_pb.ts";
import type { StoredTransition } from "../health/transition-history.ts";
import { maxHistoryCount } from "./page-limits.ts";
import type { SessionEvent } from "./session-history.ts";

/** A change of state as an entry of history. */
export function toStateEntry({ to, reason, sentence, atMs }: Omit<StoredTransition, "cluster">): HistoryEntry {
  return create(HistoryEntrySchema, { what: "state", atWallMs: BigInt(Math.round(atMs)), state: to, reason, sentence });
}

/** What became of a session as an entry of history. */
export function toSessionEntry({ what, atMs, reason, sentence, agentId, address, epoch }: SessionEvent): HistoryEntry {
  const atWallMs = BigInt(Math.round(atMs));
  return create(HistoryEntrySchema, { what, atWallMs, reason, sentence, agentId, address, epoch: BigInt(epoch) });
}

/**
 * The newest of lists that each begin with their newest. What was read from the store and was told as it happened is one entry; what became of a session
 * comes before the state that it led to in the same moment.
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

/** Entries of all clusters that wait for somebody to look: what is on its way to the store. Beyond, the oldest go; the store has them by then. */
const maxRecentCount = 1_024;

/** What happened lately, so that a history read from the store misses nothing that was still on its way there. */
export class RecentHistory {
  #recent: { readonly cluster: string; readonly entry: HistoryEntry }[] = [];

  add(cluster: string, entry: HistoryEntry): void {
    this.#recent.push({ cluster, entry });
    if (this.#recent.length > 2 * maxRecentCount) this.#recent = this.#recent.slice(-maxRecentCount);
  }

  /** The newest first, as ends and beginnings of one moment are read. */
  of(cluster: string): readonly HistoryEntry[] {
    return this.#recent
      .filter((each) => each.cluster === cluster)
      .map(({ entry }) => entry)
      .reverse();
  }
}
