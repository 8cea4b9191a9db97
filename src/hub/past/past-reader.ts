// SPDX-License-Identifier: Apache-2.0
// Loads past rows from the fleet log into the index, for one query at a time. It runs in the hub's main thread.
import { throwIfAborted } from "../../base/abort.ts";
import { FlotillaError } from "../../base/error.ts";
import type { Logger } from "../../base/log.ts";
import { KeyedMutex } from "../../base/queues/keyed-mutex.ts";
import { WaitQueue } from "../../base/queues/wait-queue.ts";
import type { WorkerPort } from "../../base/worker-port.ts";
import type { FleetLog, LoadCursor, LoadPage, LogPlace } from "../../store/fleet-log/fleet-log.ts";
import { goneBefore } from "../../store/fleet-log/fleet-log-rules.ts";
import type { PastLoad, PastLoadOutcome, PastPlan, PastSegments, PlacedCluster } from "./past-messages.ts";

/** The index thread's side of reads of past rows: `PastTables` under the names of the index. */
export interface PastIndexEngine {
  placePast(id: number, cluster: string, places: readonly (readonly LogPlace[])[]): Promise<PlacedCluster>;
  wantPast(id: number, cluster: string): Promise<readonly PastLoad[]>;
  loadPast(id: number, page: PastSegments): Promise<PastLoadOutcome>;
  completePast(id: number, cluster: string, load: PastLoad): Promise<void>;
  closePast(id: number): Promise<void>;
}

export interface PastReaderOptions {
  readonly fleetLog: Pick<FleetLog, "places" | "load">;
  readonly index: WorkerPort<PastIndexEngine>;
  readonly log: Logger;
}

/** How far a read is. */
export interface PastProgress {
  readonly readCount: number;
  readonly totalCount: number;
}

/** A cluster of a read, at its first moment, as far as the user may see. */
export interface PastClusterCoverage extends Pick<PlacedCluster, "hasRows" | "asOfMs"> {
  readonly cluster: string;
}

export interface PastReadOptions {
  readonly signal: AbortSignal;
  /** Called after each cluster. What is loaded so far can be queried meanwhile. */
  readonly onProgress?: (progress: PastProgress) => void;
}

/** Bytes of one page of the log. The index folds one in some 50 ms, the time until a cancelled read ends. */
const pageBytes = 1024 * 1024;

/** Clusters of one read that are placed, and loaded, at once: the log is read while the index folds. */
const clustersAtOnce = 4;

/** Most reads at once. They share the memory for past rows; further ones wait. */
const maxReadCount = 8;

/** Most reads that wait. Further ones are refused. */
const maxWaitingCount = 64;

/** Reads past rows. Ids of reads are its own. */
export class PastReader {
  readonly #options: PastReaderOptions;
  /** Two reads of one moment do not load the same tables twice. */
  readonly #clusters = new KeyedMutex();
  readonly #waiting = new WaitQueue();
  #readCount = 0;
  #lastId = 0;

  constructor(options: PastReaderOptions) {
    this.#options = options;
  }

  /**
   * Opens a read in the index, loads its rows, and answers with `use`; the rows are released afterwards. Throws GONE
   * with the earliest possible moment if retention has removed some of the rows, OVERLOADED if too many reads wait, and
   * the signal's reason if it aborts.
   */
  async read<Result>(
    open: (id: number) => Promise<PastPlan>,
    use: (id: number, clusters: readonly PastClusterCoverage[]) => Promise<Result>,
    options: PastReadOptions,
  ): Promise<Result> {
    await this.#enter(options.signal);
    this.#lastId += 1;
    const id = this.#lastId;
    try {
      const clusters = await this.#loadAll(id, await open(id), options);
      throwIfAborted(options.signal);
      return await use(id, clusters);
    } finally {
      await this.#options.index.closePast(id).finally(() => this.#leave());
    }
  }

  async #enter(signal: AbortSignal): Promise<void> {
    if (this.#readCount < maxReadCount) {
      this.#readCount += 1;
      return;
    }
    if (this.#waiting.length >= maxWaitingCount)
      throw new FlotillaError("OVERLOADED", "too many queries about past moments wait for their turn; try again later");
    await this.#waiting.wait(undefined, signal);
  }

  /** The place of a read goes to the first that waits. */
  #leave(): void {
    if (!this.#waiting.resolveFirst()) this.#readCount -= 1;
  }

  async #loadAll(id: number, plan: PastPlan, options: PastReadOptions): Promise<readonly PastClusterCoverage[]> {
    const { clusters, moments } = plan;
    const { signal, onProgress } = options;
    const placed: { readonly cluster: string; readonly of: PlacedCluster }[] = [];
    await forEachOf(clusters, async (cluster) => {
      throwIfAborted(signal);
      placed.push({ cluster, of: await this.#place(id, cluster, plan) });
    });
    const earliestMs = Math.max(0, ...placed.map(({ of }) => of.earliestMs));
    if ((moments[0] ?? 0) < earliestMs) throw goneBefore(earliestMs);
    let readCount = 0;
    await forEachOf(clusters, async (cluster) => {
      await this.#clusters.run(cluster, () => this.#loadCluster(id, cluster, signal));
      readCount += 1;
      onProgress?.({ readCount, totalCount: clusters.length });
    });
    return placed.map(({ cluster, of: { hasRows, asOfMs } }) => ({ cluster, hasRows, asOfMs }));
  }

  async #place(id: number, cluster: string, { moments, resources }: PastPlan): Promise<PlacedCluster> {
    const { fleetLog, index } = this.#options;
    const named = resources === undefined ? {} : { resources: [...resources] };
    const places = await Promise.all(moments.map((atMs) => fleetLog.places({ cluster, atMs, ...named })));
    return index.placePast(id, cluster, places);
  }

  async #loadCluster(id: number, cluster: string, signal: AbortSignal): Promise<void> {
    const { index } = this.#options;
    throwIfAborted(signal);
    for (const load of await index.wantPast(id, cluster)) {
      await this.#load(id, cluster, { load, signal });
      await index.completePast(id, cluster, load);
    }
  }

  /** Reads the next page while one is folded. */
  async #load(
    id: number,
    cluster: string,
    { load, signal }: { readonly load: PastLoad; readonly signal: AbortSignal },
  ): Promise<void> {
    const { fleetLog, index } = this.#options;
    const { resource, upTo, from } = load;
    const request = { cluster, resource, upTo, bytesLimit: pageBytes, ...(from && { from }) };
    const read = (after?: LoadCursor): Promise<LoadPage> => {
      const reading = fleetLog.load({ ...request, ...(after && { after }) });
      reading.catch(() => undefined); // reported when it is awaited; discarded if the fold before it failed
      return reading;
    };
    let reading = read();
    for (;;) {
      const { segments, next } = await reading;
      throwIfAborted(signal);
      if (next !== undefined) reading = read(next);
      const outcome = await index.loadPast(id, { cluster, load, segments });
      this.#note(cluster, load, outcome);
      throwIfAborted(signal);
      if (next === undefined || outcome.isEnough === true) return;
    }
  }

  #note(cluster: string, { resource }: PastLoad, outcome: PastLoadOutcome): void {
    const { unreadableCount, droppedCount, detail: reason } = outcome;
    if (unreadableCount + droppedCount === 0) return;
    const fields = { cluster, resource, segmentCount: unreadableCount, rowCount: droppedCount, reason };
    this.#options.log.warn("past rows that cannot be read were left out", fields);
  }
}

/** Runs work for each value, a few at once, and begins none after a failure. */
async function forEachOf<Value>(values: readonly Value[], work: (value: Value) => Promise<void>): Promise<void> {
  const left = values.values();
  let isFailed = false;
  const run = async (): Promise<void> => {
    for (const value of left) {
      if (isFailed) return;
      try {
        await work(value);
      } catch (reason) {
        isFailed = true;
        throw reason;
      }
    }
  };
  const runs = await Promise.allSettled(Array.from({ length: clustersAtOnce }, run));
  for (const each of runs) if (each.status === "rejected") throw each.reason;
}
