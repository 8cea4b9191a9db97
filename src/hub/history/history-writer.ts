// SPDX-License-Identifier: Apache-2.0

import type { Logger } from "../../base/log.ts";
import { WakeUp } from "../../base/queues/wake-up.ts";
import type { Random } from "../../base/random.ts";
import type { Clock } from "../../base/time/clock.ts";
import { retry } from "../../base/time/retry.ts";
import type { Key, Store, Write } from "../../store/store.ts";
import { batchCount, historyId } from "./history-rows.ts";

/** What every history needs. */
export interface HistoryOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Identifies this run of the hub, so that two runs never write the same key. */
  readonly runId: string;
}

/** One row before it is stored. */
interface HistoryRow {
  readonly cluster: string;
  readonly atMs: number;
}

interface HistoryWriterOptions<Row extends HistoryRow> extends HistoryOptions {
  /** The rows, for the log: "session events". */
  readonly what: string;
  /** Queued rows from which on `isFull` is true. */
  readonly maxWaitingCount: number;
  readonly toWrite: (row: Row, key: Key, seq: number) => Write;
}

const writeBackoff = { firstMs: 100, factor: 2, capMs: 5_000, stableMs: 10_000 };

/**
 * Stores rows of a history in batches, in the order of `append`. Appending never waits. The writer refuses nothing: a
 * caller checks `isFull` and decides what a full queue loses.
 */
export class HistoryWriter<Row extends HistoryRow> {
  readonly #options: HistoryWriterOptions<Row>;
  readonly #wakeUp = new WakeUp();
  #waiting: { readonly row: Row; readonly seq: number }[] = [];
  #seq = 0;

  constructor(options: HistoryWriterOptions<Row>) {
    this.#options = options;
  }

  /** Number of queued rows. */
  get waitingCount(): number {
    return this.#waiting.length;
  }

  get isFull(): boolean {
    return this.#waiting.length >= this.#options.maxWaitingCount;
  }

  append(row: Row): void {
    this.#seq += 1;
    this.#waiting.push({ row, seq: this.#seq });
    this.#wakeUp.wake();
  }

  /** Removes the newest queued row of a cluster and returns it. */
  withdrawNewest(cluster: string): Row | undefined {
    const at = this.#waiting.findLastIndex(({ row }) => row.cluster === cluster);
    return at === -1 ? undefined : this.#waiting.splice(at, 1)[0]?.row;
  }

  /**
   * Writes until the signal aborts; rejects with its reason or a permanent failure. Rows that were not written stay
   * queued for `flush`.
   */
  async run(signal: AbortSignal): Promise<never> {
    const { store, what, clock, random, log } = this.#options;
    const writing = { what: `storing ${what}`, clock, random, log, backoff: writeBackoff };
    for (;;) {
      while (this.#waiting.length === 0) await this.#wakeUp.wait(signal);
      const batch = this.#waiting.splice(0, batchCount);
      const writes = batch.map((each) => this.#toWrite(each));
      try {
        await retry(() => store.commit(writes), writing, signal);
      } catch (reason) {
        this.#waiting.unshift(...batch);
        throw reason;
      }
    }
  }

  /** Writes the queued rows in one attempt; to be called after `run`. A failure is logged. */
  async flush(): Promise<void> {
    const { store, what, log } = this.#options;
    try {
      while (this.#waiting.length > 0)
        await store.commit(this.#waiting.splice(0, batchCount).map((each) => this.#toWrite(each)));
    } catch (reason) {
      log.warn("could not store the last rows of a history", { what }, reason);
    }
  }

  #toWrite({ row, seq }: { readonly row: Row; readonly seq: number }): Write {
    const { store, runId, toWrite } = this.#options;
    return toWrite(row, [store.workspace, row.cluster, historyId(row.atMs, seq, runId)], seq);
  }
}
