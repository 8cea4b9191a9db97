// SPDX-License-Identifier: Apache-2.0

import { onAbort, throwIfAborted } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import { retry } from "../../base/retry.ts";
import { runTogether } from "../../base/run-together.ts";
import type { Transition } from "../../health/transition.ts";
import type { ClusterId } from "../../model/cluster-id.ts";
import { type Fence, type Key, put, type Store, type Write } from "../../store/store.ts";
import { transitions } from "../../store/tables.ts";
import type { HeldLease } from "../fleet-tasks.ts";
import type { HealthSink } from "../health/cluster-health.ts";
import { historyId, momentKey, retainHistory } from "./history-rows.ts";

export interface TransitionHistoryOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Identifies this run of the hub, so that two runs never write the same key. */
  readonly runId: string;
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

interface Waiting {
  readonly key: Key;
  readonly seq: number;
  readonly transition: Transition;
}

const dayMs = 86_400_000;
const writeBackoff = { firstMs: 100, factor: 2, capMs: 5_000, stableMs: 10_000 };
/** Rows in one commit: some 150 KB. */
const batchCount = 500;
/** History is read by the day, so an extra hour does no harm. */
const retentionIntervalMs = 3_600_000;

/**
 * Stores transitions. Adding one never waits: they are queued in order while the store is slow. Beyond the bound a
 * newer transition of a cluster replaces the queued one and keeps its `from`, so history loses intermediate steps,
 * never the last state.
 */
export class TransitionHistory implements HealthSink {
  readonly #options: TransitionHistoryOptions;
  #waiting: Waiting[] = [];
  #seq = 0;
  #wake: (() => void) | undefined;

  constructor(options: TransitionHistoryOptions) {
    this.#options = options;
  }

  /** Number of queued transitions. */
  get waitingCount(): number {
    return this.#waiting.length;
  }

  transition(transition: Transition): void {
    const { maxWaitingCount = 10_000 } = this.#options;
    const isOver = this.#waiting.length >= maxWaitingCount;
    const at = isOver
      ? this.#waiting.findLastIndex((waiting) => waiting.transition.cluster === transition.cluster)
      : -1;
    const older = this.#waiting[at];
    const joined = older === undefined ? transition : { ...transition, from: older.transition.from };
    if (older !== undefined) this.#waiting.splice(at, 1);
    this.#seq += 1;
    this.#waiting.push({ key: this.#keyOf(joined), seq: this.#seq, transition: joined });
    this.#wake?.();
  }

  /**
   * Writes until the signal aborts; rejects with its reason or a permanent failure. Queued transitions are written first,
   * in one attempt, so the store must stay open until this settles.
   */
  async run(signal: AbortSignal): Promise<void> {
    await runTogether([(both) => this.#runWriting(both)], signal);
    try {
      while (this.#waiting.length > 0) await this.#options.store.commit(this.#takeWrites());
    } catch (reason) {
      this.#options.log.warn("could not store the last changes of connection state", {}, reason);
    }
    throwIfAborted(signal);
  }

  /** Stored transitions of a cluster after a wall-clock time, oldest first; at most `limit`. */
  async list(
    cluster: ClusterId,
    { afterMs = 0, limit = batchCount }: { readonly afterMs?: number; readonly limit?: number } = {},
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

  #keyOf({ cluster, atMs }: Transition): Key {
    return [this.#options.store.workspace, cluster, historyId(atMs, this.#seq, this.#options.runId)];
  }

  async #runWriting(signal: AbortSignal): Promise<void> {
    const { clock, random, log, store } = this.#options;
    const writing = { what: "keeping changes of connection state", clock, random, log, backoff: writeBackoff };
    for (;;) {
      await this.#wait(signal);
      const writes = this.#takeWrites();
      await retry(() => store.commit(writes), writing, signal);
    }
  }

  #takeWrites(): readonly Write[] {
    const batch = this.#waiting.slice(0, batchCount);
    this.#waiting = this.#waiting.slice(batchCount);
    return batch.map(({ key, seq, transition: { atMs, from, to, reason, sentence } }) =>
      put(transitions, key, { at_ms: atMs, seq, from_state: from, to_state: to, reason, sentence }),
    );
  }

  /** Resolves when a transition is queued. Rejects with the signal's reason. */
  async #wait(signal: AbortSignal): Promise<void> {
    while (this.#waiting.length === 0 && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const unlisten = onAbort(signal, resolve);
      await promise;
      unlisten();
    }
    throwIfAborted(signal);
  }

  /** Removes old transitions until the signal aborts; then it throws the signal's reason. For one hub of the fleet. */
  async runRetention({ fence, signal }: HeldLease): Promise<void> {
    const { clock, log } = this.#options;
    for (;;) {
      try {
        await this.retain(fence);
      } catch (reason) {
        log.warn("retention of connection history failed", {}, reason);
      }
      await clock.sleep(retentionIntervalMs, signal);
    }
  }

  /** Removes transitions beyond retention or count. Returns how many. */
  retain(fence?: Fence): Promise<number> {
    const { clock, store, retentionMs = 30 * dayMs, keepCount = 1_000 } = this.#options;
    return retainHistory(store, transitions, { oldestMs: Math.round(clock.wallMs()) - retentionMs, keepCount, fence });
  }
}
