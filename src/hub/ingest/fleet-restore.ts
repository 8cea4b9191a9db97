// SPDX-License-Identifier: Apache-2.0
// Loads the fleet's rows from the fleet log after a start. Rows and their age can be read before any agent reconnects
// (N-29).
import { throwIfAborted } from "../../base/abort.ts";
import { FlotillaError } from "../../base/error.ts";
import type { Logger } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import type { Clock } from "../../base/time/clock.ts";
import { retry } from "../../base/time/retry.ts";
import type { FleetLog, LoadedSegment, LoadPage, LoggedResource } from "../../store/fleet-log/fleet-log.ts";
import type { FleetCounters } from "../fleet/fleet-counters.ts";
import type { LoadOutcome } from "../index/index-messages.ts";
import type { FleetRows } from "../rows/fleet-rows.ts";
import type { LogSizes } from "./log-sizes.ts";

/**
 * Bytes per read; at most two pages are held. A page takes some 100 ms to decode. Other work runs between two segments.
 */
const pageBytes = 4 * 1024 * 1024;

const loadBackoff = { firstMs: 100, factor: 2, capMs: 5_000, stableMs: 10_000 };

export interface FleetRestoreOptions {
  readonly fleetLog: FleetLog;
  readonly fleetRows: FleetRows;
  readonly sizes: LogSizes;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly counters: Pick<FleetCounters, "droppedRows">;
}

/** The rows dropped so far while loading one (cluster, resource) (CO66). */
interface Dropped {
  count: number;
  fault: string;
}

interface LoadedKind {
  readonly cluster: string;
  readonly resource: string;
  readonly dropped: Dropped;
}

interface Loading {
  readonly signal: AbortSignal;
  /** Undefined: the newest state. */
  readonly upTo: number | undefined;
}

/** The progress of loading, in (cluster, resource) pairs. */
export interface RestoreProgress {
  readonly loadedCount: number;
  readonly totalCount: number;
  readonly rowCount: number;
  readonly isDone: boolean;
}

/** Loads clusters from the fleet log, requested clusters first. A cluster can accept no session until it is loaded. */
export class Restore {
  readonly #options: FleetRestoreOptions;
  readonly #pending = new Map<string, LoggedResource[]>();
  /** Requested clusters in the order of the requests. The promise resolves when the cluster is loaded. */
  readonly #wanted = new Map<string, PromiseWithResolvers<void>>();
  /** Clusters whose rows were shown before a reload that has not succeeded yet. */
  readonly #hidden = new Set<string>();
  #onProgress: () => void = () => undefined;
  #loadedCount = 0;
  #totalCount = 0;
  #rowCount = 0;
  #isListed = false;

  constructor(options: FleetRestoreOptions) {
    this.#options = options;
  }

  get progress(): RestoreProgress {
    return {
      loadedCount: this.#loadedCount,
      totalCount: this.#totalCount,
      rowCount: this.#rowCount,
      isDone: this.#isListed && this.#pending.size === 0,
    };
  }

  /** Whether all rows of the cluster are loaded. */
  has(cluster: string): boolean {
    return this.#isListed && !this.#pending.has(cluster);
  }

  /** Sets the listener that runs whenever more clusters are completely loaded. There is one listener. */
  onProgress(listener: () => void): void {
    this.#onProgress = listener;
  }

  /** Whether all rows of the cluster are loaded. If not, the cluster is loaded next. */
  isLoaded(cluster: string): boolean {
    if (this.has(cluster)) return true;
    if (!this.#wanted.has(cluster)) this.#wanted.set(cluster, Promise.withResolvers<void>());
    return false;
  }

  /**
   * Throws UNAVAILABLE unless all rows of the cluster are loaded, so that a part never passes for all. The cluster is
   * loaded next.
   */
  assertLoaded(cluster: string): void {
    if (this.isLoaded(cluster)) return;
    throw new FlotillaError("UNAVAILABLE", `the hub is still loading the rows of ${cluster}; try again`);
  }

  /** Resolves when all rows of the cluster are loaded. The cluster is loaded next. */
  async untilLoaded(cluster: string): Promise<void> {
    if (!this.isLoaded(cluster)) await this.#wanted.get(cluster)?.promise;
  }

  /**
   * Loads all clusters, a page at a time, up to a log position if one is given. Call once. Rejects with the log's error
   * or the signal's reason. With a position the log is shared and may be unavailable for a while, so failed reads are
   * retried.
   */
  async run(signal: AbortSignal, upTo?: number): Promise<void> {
    const { fleetLog, clock, random, log } = this.#options;
    const attempts = upTo === undefined ? { attemptLimit: 1 } : {};
    const loading = { what: "loading the fleet log", clock, random, log, backoff: loadBackoff, ...attempts };
    for (const logged of await retry(() => fleetLog.resources(), loading, signal)) {
      const of = this.#pending.get(logged.cluster) ?? [];
      of.push(logged);
      this.#pending.set(logged.cluster, of);
      this.#totalCount += 1;
    }
    this.#isListed = true;
    this.#onProgress();
    for (const cluster of this.#wanted.keys()) if (!this.#pending.has(cluster)) this.#tellLoaded(cluster);
    for (let cluster = this.#next(); cluster !== undefined; cluster = this.#next()) {
      const logged = this.#pending.get(cluster) ?? [];
      await retry((inner) => this.#loadWhole(cluster, logged, { signal: inner, upTo }), loading, signal);
      this.#pending.delete(cluster);
      this.#onProgress();
      this.#tellLoaded(cluster);
    }
    log.info("fleet log loaded", { kinds: this.#loadedCount, rows: this.#rowCount });
  }

  /**
   * Loads one cluster again, replacing its rows in the fleet's rows. The caller must keep its flushes from being
   * ingested meanwhile.
   */
  async reload(cluster: string, signal: AbortSignal, upTo?: number): Promise<void> {
    const { fleetLog, fleetRows, sizes } = this.#options;
    const logged = await fleetLog.resources();
    // A failed reload leaves the rows hidden. The next successful one shows them again.
    if (fleetRows.isRbacComplete(cluster)) this.#hidden.add(cluster);
    await fleetRows.removeCluster(cluster);
    sizes.removeCluster(cluster);
    await this.#loadAll(
      cluster,
      logged.filter((of) => of.cluster === cluster),
      { signal, upTo },
    );
    fleetRows.setRbacComplete(cluster, this.#hidden.delete(cluster));
  }

  /** Loads the whole cluster. On failure, removes what was loaded. */
  async #loadWhole(cluster: string, logged: readonly LoggedResource[], loading: Loading): Promise<void> {
    const { fleetRows, sizes } = this.#options;
    const [loadedCount, rowCount] = [this.#loadedCount, this.#rowCount];
    try {
      await this.#loadAll(cluster, logged, loading);
    } catch (reason) {
      await fleetRows.removeCluster(cluster);
      sizes.removeCluster(cluster);
      [this.#loadedCount, this.#rowCount] = [loadedCount, rowCount];
      throw reason;
    }
  }

  #tellLoaded(cluster: string): void {
    this.#wanted.get(cluster)?.resolve();
    this.#wanted.delete(cluster);
  }

  #next(): string | undefined {
    for (const cluster of this.#wanted.keys()) if (this.#pending.has(cluster)) return cluster;
    return this.#pending.keys().next().value;
  }

  async #loadAll(cluster: string, logged: readonly LoggedResource[], loading: Loading): Promise<void> {
    const { fleetLog, fleetRows } = this.#options;
    for (const { resource } of logged) {
      await this.#load(cluster, resource, loading);
      this.#loadedCount += 1;
    }
    const durable = await fleetLog.progress(cluster, "");
    if (durable !== undefined && durable.incarnation !== "")
      fleetRows.setApplied(cluster, { incarnation: durable.incarnation, seq: durable.seq });
  }

  /** Reads the next page while one is folded. */
  async #load(cluster: string, resource: string, { signal, upTo }: Loading): Promise<void> {
    const { fleetLog } = this.#options;
    const request = { cluster, resource, bytesLimit: pageBytes, ...(upTo === undefined ? {} : { upTo }) };
    const dropped: Dropped = { count: 0, fault: "" };
    for (let reading = fleetLog.load(request); ; ) {
      const page: LoadPage = await reading;
      if (page.next !== undefined) reading = ownedAhead(fleetLog.load({ ...request, after: page.next }));
      await this.#foldPage({ cluster, resource, dropped }, page, signal);
      if (page.next === undefined) break;
    }
    if (dropped.count > 0) this.#reportDropped(cluster, resource, dropped);
  }

  /** The agent's digests restore the dropped rows (SE23). */
  #reportDropped(cluster: string, resource: string, { count, fault }: Dropped): void {
    const { log, counters } = this.#options;
    counters.droppedRows.add({ cluster, resource }, count);
    log.warn("stored rows that fail the check of rows were dropped", { cluster, resource, rowCount: count, fault });
  }

  /** Sends the next segment while one is folded, so that the index never waits for a message. */
  async #foldPage(of: LoadedKind, { segments }: LoadPage, signal: AbortSignal): Promise<void> {
    const { fleetRows } = this.#options;
    let folding: Promise<LoadOutcome> | undefined;
    for (const [at, segment] of segments.entries()) {
      throwIfAborted(signal);
      const current = folding ?? fleetRows.load(of.cluster, { ...segment, resource: of.resource });
      const next = segments[at + 1];
      folding =
        next === undefined ? undefined : ownedAhead(fleetRows.load(of.cluster, { ...next, resource: of.resource }));
      this.#noteFolded(of, segment, await current);
    }
  }

  #noteFolded({ cluster, resource, dropped }: LoadedKind, segment: LoadedSegment, outcome: LoadOutcome): void {
    const { sizes, log } = this.#options;
    const { position, form } = segment;
    if (outcome.kind === "loaded") {
      dropped.count += outcome.droppedCount;
      dropped.fault ||= outcome.fault;
      this.#rowCount += outcome.rowCount;
    } else {
      // One bad segment does not affect the others (L14). The agent's digests restore its rows.
      const reason = outcome.detail;
      log.error("a segment of the fleet log cannot be read", { cluster, resource, position, reason });
    }
    if (form.kind === "checkpoint") {
      const { checkpointBytes } = sizes.get(cluster, resource);
      const none = { segmentCount: 0, segmentBytes: 0 };
      sizes.checkpointed(cluster, resource, checkpointBytes + segment.bytes.length, none);
    } else sizes.add(cluster, resource, segment.bytes.length);
  }
}

/**
 * Marks the rejection of work that is started early as handled. The caller that awaits it gets the error; if an earlier
 * failure ends the load, it is discarded.
 */
function ownedAhead<Value>(work: Promise<Value>): Promise<Value> {
  work.catch(() => undefined);
  return work;
}
