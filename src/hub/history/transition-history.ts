// SPDX-License-Identifier: Apache-2.0
import type { Transition } from "../../health/transition.ts";
import type { ClusterId } from "../../model/cluster-id.ts";
import { put } from "../../store/store.ts";
import { transitions } from "../../store/tables.ts";
import type { HealthSink } from "../health/cluster-health.ts";
import type { Retention } from "../retention.ts";
import { historyRetention, momentKey } from "./history-rows.ts";
import { type HistoryOptions, HistoryWriter } from "./history-writer.ts";

export interface TransitionHistoryOptions extends HistoryOptions {
  /** Retention of transitions. 30 days is the range of the page's time line. */
  readonly retentionMs?: number;
  /** Maximum transitions kept per cluster: 30 days at one every 43 minutes. */
  readonly keepCount?: number;
  /** Bound of transitions queued for the store before they are merged; some 300 bytes each. */
  readonly maxWaitingCount?: number;
}

/** A stored transition. */
export type StoredTransition = Omit<Transition, "from" | "to" | "reason"> & {
  readonly from: string;
  readonly to: string;
  readonly reason: string;
};

const dayMs = 86_400_000;
/** Transitions of one list. */
const listCount = 500;

/**
 * Stores transitions. Adding one never waits: they are queued in order while the store is slow. Beyond the bound a
 * newer transition of a cluster replaces the queued one and keeps its `from`, so history loses intermediate steps,
 * never the last state.
 */
export class TransitionHistory implements HealthSink {
  readonly retention: Retention;
  readonly #options: TransitionHistoryOptions;
  readonly #writer: HistoryWriter<Transition>;

  constructor(options: TransitionHistoryOptions) {
    this.#options = options;
    const { retentionMs = 30 * dayMs, keepCount = 1_000, maxWaitingCount = 10_000 } = options;
    const what = "changes of connection state";
    this.retention = historyRetention(transitions, { ...options, what, retentionMs, keepCount });
    this.#writer = new HistoryWriter({
      ...options,
      what,
      maxWaitingCount,
      toWrite: ({ atMs, from, to, reason, sentence }, key, seq) =>
        put(transitions, key, { at_ms: atMs, seq, from_state: from, to_state: to, reason, sentence }),
    });
  }

  /** Number of queued transitions. */
  get waitingCount(): number {
    return this.#writer.waitingCount;
  }

  transition(transition: Transition): void {
    const older = this.#writer.isFull ? this.#writer.withdrawNewest(transition.cluster) : undefined;
    this.#writer.append(older === undefined ? transition : { ...transition, from: older.from });
  }

  /**
   * Writes until the signal aborts; rejects with its reason or a permanent failure. Queued transitions are written
   * first, in one attempt, so the store must stay open until this settles.
   */
  async run(signal: AbortSignal): Promise<void> {
    try {
      await this.#writer.run(signal);
    } finally {
      await this.#writer.flush();
    }
  }

  /** Stored transitions of a cluster after a wall-clock time, oldest first; at most `limit`. */
  async list(
    cluster: ClusterId,
    { afterMs = 0, limit = listCount }: { readonly afterMs?: number; readonly limit?: number } = {},
  ): Promise<readonly StoredTransition[]> {
    const { store } = this.#options;
    const { rows } = await store.list(transitions, {
      prefix: [store.workspace, cluster],
      after: [store.workspace, cluster, momentKey(afterMs + 1)],
      limit,
    });
    return rows.map(({ value }) => ({
      cluster,
      from: value.from_state,
      to: value.to_state,
      reason: value.reason,
      sentence: value.sentence,
      atMs: value.at_ms,
    }));
  }
}
