// SPDX-License-Identifier: Apache-2.0
// Folds the appends of other hubs to the fleet log into the fleet's rows of their clusters (FL12).
import { orAborted } from "../../base/abort.ts";
import { FlotillaError, hasCode } from "../../base/error.ts";
import type { Logger } from "../../base/log.ts";
import { WakeUp } from "../../base/queues/wake-up.ts";
import type { Random } from "../../base/random.ts";
import type { Clock } from "../../base/time/clock.ts";
import { retry } from "../../base/time/retry.ts";
import type { FleetLog, LoggedStep } from "../../store/fleet-log/fleet-log.ts";
import type { FleetRows } from "../rows/fleet-rows.ts";
import type { Restore } from "./fleet-restore.ts";
import type { Ingest } from "./ingest.ts";
import type { LogSizes } from "./log-sizes.ts";

export interface LogFollowerOptions {
  readonly fleetLog: FleetLog;
  readonly fleetRows: FleetRows;
  readonly ingest: Ingest;
  readonly restore: Restore;
  readonly sizes: LogSizes;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** The interval between two polls of the log. A lost wake-up delays a read by one interval. */
  readonly pollMs: number;
}

type FlushStep = Extract<LoggedStep, { kind: "flush" }>;

/** Bytes per read; some 25 ms of decoding. Other work runs between two flushes. */
const pageBytes = 1024 * 1024;

const followBackoff = { firstMs: 100, factor: 2, capMs: 5_000, stableMs: 10_000 };

/**
 * Folds the steps of the fleet log into the fleet's rows, in commit order. A step that this hub appended or loaded
 * itself is skipped: each kind of a cluster has its own position.
 */
export class LogFollower {
  readonly #options: LogFollowerOptions;
  readonly #wakeUp = new WakeUp();
  /** Pending calls of `reach`. A page that ends at the head resolves the calls made before it was requested. */
  #reaching: PromiseWithResolvers<void>[] = [];
  #position = 0;
  #isEnded = false;

  constructor(options: LogFollowerOptions) {
    this.#options = options;
  }

  /** Reports that another hub appended up to this position. A lost call only delays the read. */
  noteAppended(position: number): void {
    if (position > this.#position) this.#wakeUp.wake();
  }

  /**
   * Resolves when everything durable at the time of the call is folded. Rejects with UNAVAILABLE after `run` has ended.
   */
  reach(): Promise<void> {
    if (this.#isEnded) return Promise.reject(closing());
    const reaching = Promise.withResolvers<void>();
    this.#reaching.push(reaching);
    this.#wakeUp.wake();
    return reaching.promise;
  }

  /**
   * Follows the log after `from` until the signal aborts, then throws the signal's reason. A cluster is followed once
   * it is loaded.
   */
  async run(from: number, signal: AbortSignal): Promise<void> {
    const { clock, random, log, pollMs } = this.#options;
    const following = { what: "following the fleet log", clock, random, log, backoff: followBackoff };
    this.#position = from;
    try {
      for (;;) {
        const isAtHead = await retry((inner) => this.#readPage(inner), following, signal);
        if (isAtHead && this.#reaching.length === 0) await this.#wakeUp.waitAtMost(this.#options.clock, pollMs, signal);
      }
    } finally {
      this.#isEnded = true;
      for (const { reject } of this.#reaching.splice(0)) reject(closing());
    }
  }

  /** Returns true if the page ended at the head of the log. */
  async #readPage(signal: AbortSignal): Promise<boolean> {
    const asked = this.#reaching.splice(0);
    let isAtHead = false;
    try {
      isAtHead = await this.#takePage(signal);
    } finally {
      if (!isAtHead) this.#reaching.unshift(...asked);
    }
    if (isAtHead) for (const { resolve } of asked) resolve();
    return isAtHead;
  }

  async #takePage(signal: AbortSignal): Promise<boolean> {
    const { fleetLog } = this.#options;
    try {
      const page = await fleetLog.follow({ after: this.#position, bytesLimit: pageBytes });
      for (const step of page.steps) {
        await this.#take(step, signal);
        this.#position = step.position;
      }
      this.#position = page.position;
      return page.position === page.headPosition;
    } catch (reason) {
      if (!hasCode(reason, "GONE")) throw reason;
      await this.#loadAnew(signal);
      return false;
    }
  }

  async #take(step: LoggedStep, signal: AbortSignal): Promise<void> {
    const { ingest, restore } = this.#options;
    await orAborted(restore.untilLoaded(step.cluster), signal);
    await ingest.between(step.cluster, async () => {
      if (step.kind === "flush") await this.#fold(step);
      else await this.#remove(step.cluster, step.position);
    });
  }

  /** A segment that cannot be read does not affect the others (L14). The agent's digests restore its rows. */
  async #fold({ cluster, position, receivedAtMs, parts }: FlushStep): Promise<void> {
    const { ingest, fleetRows, sizes } = this.#options;
    const positions = new Map(fleetRows.kinds(cluster).map((kind) => [kind.resource, kind.position]));
    const news = parts.filter(({ resource }) => (positions.get(resource) ?? 0) < position);
    for (const { resource, bytes } of news) sizes.add(cluster, resource, bytes.length);
    const segments = news.map((part) => ({ ...part, position, receivedAtMs }));
    if (segments.length > 0) await ingest.foldAppended(cluster, segments, { position, receivedAtMs });
  }

  /** Rows from after the removal belong to a cluster that was registered later under the same id. */
  async #remove(cluster: string, position: number): Promise<void> {
    const { fleetRows, sizes } = this.#options;
    if (fleetRows.kinds(cluster).some((kind) => kind.position > position)) return;
    await fleetRows.removeCluster(cluster);
    sizes.removeCluster(cluster);
  }

  /** The log no longer holds the next steps: retention has passed this reader, or the log was restored (FL14). */
  async #loadAnew(signal: AbortSignal): Promise<void> {
    const { fleetLog, fleetRows, restore, ingest, log } = this.#options;
    log.warn("the fleet log is loaded again: this hub's position in it was removed", { position: this.#position });
    const head = await fleetLog.headPosition();
    const logged = await fleetLog.resources();
    for (const cluster of new Set([...fleetRows.clusters(), ...logged.map((each) => each.cluster)])) {
      await orAborted(restore.untilLoaded(cluster), signal);
      await ingest.between(cluster, () => restore.reload(cluster, signal, head));
    }
    this.#position = head;
  }
}

function closing(): FlotillaError {
  return new FlotillaError("UNAVAILABLE", "the hub is closing");
}
