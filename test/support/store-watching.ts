// SPDX-License-Identifier: Apache-2.0
// Reading a watch in a test: batch by batch, and to a known revision.
import type { ManualClock } from "../../src/base/testing/manual-clock.ts";
import type { Revision } from "../../src/model/revision.ts";
import type { Change, Key, Store, WatchBatch, WatchProgress } from "../../src/store/store.ts";
import type { TableSpec } from "../../src/store/table.ts";

/** A watch under way. `next` asks for one batch; undefined = the watch has ended. Disposal ends it. */
export interface WatchReader<T extends TableSpec> extends AsyncDisposable {
  next(): Promise<WatchBatch<T> | undefined>;
  stop(): void;
}

export interface WatchStart {
  readonly prefix?: Key;
  readonly progress?: WatchProgress;
  /** The newest revision when left out. */
  readonly from?: Revision;
}

/** Starts to follow a table. Nothing is read before the first `next`. */
export function openWatch<T extends TableSpec>(store: Store, table: T, start: WatchStart = {}): WatchReader<T> {
  const ending = new AbortController();
  const { from, ...rest } = start;
  const options = { ...rest, from: store.cursor(from), signal: ending.signal };
  const batches = store.watch(table, options)[Symbol.asyncIterator]();
  const stop = (): void => ending.abort(new Error("the test has read enough"));
  return {
    stop,
    async next() {
      const { done, value } = await batches.next();
      return done === true ? undefined : value;
    },
    async [Symbol.asyncDispose]() {
      stop();
      await batches.return?.(undefined);
    },
  };
}

/** What a reader was told on its way to a revision. */
export interface WatchedStretch<T extends TableSpec> {
  readonly changes: readonly Change<T>[];
  readonly batches: readonly WatchBatch<T>[];
  /** How far it got: what it would resume from. */
  readonly reached: Revision;
}

/**
 * Reads until everything up to `revision` has been delivered. Time goes on meanwhile, because the last stretch may hold
 * nothing of interest and then only a bookmark says that it is over.
 */
export async function readTo<T extends TableSpec>(
  reader: WatchReader<T>,
  clock: ManualClock,
  revision: Revision,
): Promise<WatchedStretch<T>> {
  const batches: WatchBatch<T>[] = [];
  let reached: Revision | undefined;
  while (reached === undefined || reached < revision) {
    const batch = await whileTimePasses(clock, reader.next());
    if (batch === undefined) throw new Error(`the watch ended before revision ${revision}`);
    batches.push(batch);
    reached = batch.revision;
  }
  return { changes: batches.flatMap(({ changes }) => changes), batches, reached };
}

/** Moves the clock on, minute by minute, until the promise is settled. */
async function whileTimePasses<Value>(clock: ManualClock, promise: Promise<Value>): Promise<Value> {
  const progress = { isSettled: false };
  const settled = promise.finally(() => {
    progress.isSettled = true;
  });
  // Whoever awaits `settled` meets a failure; this only keeps it from being called unhandled meanwhile.
  settled.catch(() => undefined);
  while (!progress.isSettled) await clock.advance(60_000);
  return settled;
}

/** Lets the event loop turn until the condition holds. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

/** Follows a table from `start` to `revision` and gives what it saw. */
export async function watchTo<T extends TableSpec>(
  under: { readonly store: Store; readonly clock: ManualClock },
  table: T,
  start: WatchStart & { readonly to: Revision },
): Promise<WatchedStretch<T>> {
  await using reader = openWatch(under.store, table, start);
  return await readTo(reader, under.clock, start.to);
}
