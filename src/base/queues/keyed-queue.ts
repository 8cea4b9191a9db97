// SPDX-License-Identifier: Apache-2.0
import { isCancellation, onAbort } from "../abort.ts";
import { assert, BugError } from "../assert.ts";
import type { Random } from "../random.ts";
import { assertBackoff, type BackoffCurve, backoffDelayMs, retryAfterMsOf } from "../time/backoff.ts";
import type { Clock } from "../time/clock.ts";
import { DueTimer } from "../time/due-timer.ts";
import { type Lane, Lanes } from "./lanes.ts";
import { WaitQueue } from "./wait-queue.ts";

/** Result of a successful reconcile: done, or call again for this key after a time. */
export interface Outcome {
  readonly retryAfterMs?: number;
}

/**
 * Moves one key from its actual to its desired state. It decides from state alone and does not get the change that
 * triggered it (L6).
 */
export type Reconcile<Key> = (key: Key, signal: AbortSignal) => Promise<Outcome>;

/** A failed reconcile whose retry is scheduled. */
export interface ReconcileFailure<Key> {
  readonly key: Key;
  readonly error: unknown;
  /** Failures in a row, this one included. */
  readonly failureCount: number;
  /** Time until the retry; undefined if the key was added meanwhile and is retried without backoff. */
  readonly delayMs: number | undefined;
}

export interface KeyedQueueOptions<Key> {
  readonly clock: Clock;
  readonly random: Random;
  /** Number of keys processed in parallel. */
  readonly workers: number;
  /** Backoff of a failing key. */
  readonly backoff: BackoffCurve;
  /** While both lanes have keys, one backlog key is taken after this many fresh ones. */
  readonly freshPerBacklog?: number;
  readonly onFailure?: (failure: ReconcileFailure<Key>) => void;
}

/** Number of keys by place; for metrics. */
export interface KeyedQueueCounts {
  readonly fresh: number;
  readonly backlog: number;
  /** Waiting for their retry time. */
  readonly delayed: number;
  readonly running: number;
}

/**
 * `new`: just created; `queued`: in a lane; `delayed`: waiting for its retry time; `running`: with a worker, and
 * `again` is the lane of an add meanwhile.
 */
type Place =
  | { readonly kind: "new" }
  | { readonly kind: "queued" | "delayed"; readonly leave: () => void }
  | { readonly kind: "running"; again: Lane | undefined };

interface Entry<Key> {
  readonly key: Key;
  lane: Lane;
  failureCount: number;
  place: Place;
}

/**
 * A level-based work queue by key (L6). Any number of adds of one key are one entry; one worker at a time has a key; a
 * key added while it is processed is processed again afterwards. A failure is retried with the key's own backoff,
 * without limit, and delays no other key; a success resets it. An add skips a pending backoff, because the state has
 * changed. At most one entry per key; no order between keys beyond the lanes.
 */
export class KeyedQueue<Key = string> {
  readonly #options: KeyedQueueOptions<Key>;
  readonly #entries = new Map<Key, Entry<Key>>();
  readonly #lanes: Lanes<Entry<Key>>;
  readonly #delayed: DueTimer<Entry<Key>>;
  readonly #idleWorkers = new WaitQueue();
  #isRunning = false;

  constructor(options: KeyedQueueOptions<Key>) {
    assert(Number.isInteger(options.workers) && options.workers >= 1, "a keyed queue needs at least one worker");
    assertBackoff(options.backoff);
    this.#options = options;
    this.#lanes = new Lanes(options.freshPerBacklog);
    this.#delayed = new DueTimer(options.clock, (entry) => this.#enqueue(entry));
  }

  /** Keys that wait for a worker or for their retry time, without those being processed. */
  get length(): number {
    return this.#lanes.freshCount + this.#lanes.backlogCount + this.#delayed.length;
  }

  get counts(): KeyedQueueCounts {
    return {
      fresh: this.#lanes.freshCount,
      backlog: this.#lanes.backlogCount,
      delayed: this.#delayed.length,
      running: this.#entries.size - this.length,
    };
  }

  /** Adds a key. A waiting key keeps its position, except that `fresh` moves it out of the backlog. */
  add(key: Key, { lane }: { readonly lane: Lane }): void {
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = { key, lane, failureCount: 0, place: { kind: "new" } };
      this.#entries.set(key, entry);
    }
    const { place } = entry;
    if (place.kind === "running") {
      place.again = fresher(place.again, lane);
      return;
    }
    const wanted = fresher(entry.lane, lane);
    if (place.kind === "queued" && wanted === entry.lane) return;
    if (place.kind !== "new") place.leave();
    this.#enqueue(entry, wanted);
  }

  /**
   * Processes keys until the signal aborts, and resolves when all running work has ended. Waiting keys, and those whose
   * work was cancelled, stay for a later run. Rejects only with a bug, after all workers have ended. One run at a time.
   */
  async run(reconcile: Reconcile<Key>, signal: AbortSignal): Promise<void> {
    assert(!this.#isRunning, "a keyed queue has one run at a time");
    this.#isRunning = true;
    const stop = new AbortController();
    const unlisten = onAbort(signal, () => stop.abort(signal.reason));
    this.#delayed.start();
    onAbort(stop.signal, () => {
      this.#delayed.stop();
      this.#idleWorkers.resolveAll();
    });
    const work = Array.from({ length: this.#options.workers }, () => this.#work(reconcile, stop));
    const ends = await Promise.allSettled(work);
    unlisten();
    this.#isRunning = false;
    for (const end of ends) if (end.status === "rejected") throw end.reason;
  }

  async #work(reconcile: Reconcile<Key>, stop: AbortController): Promise<void> {
    try {
      while (!stop.signal.aborted) {
        const entry = this.#lanes.take();
        if (entry === undefined) await this.#idleWorkers.wait(undefined);
        else await this.#workOn(entry, reconcile, stop.signal);
      }
    } catch (bug) {
      stop.abort(bug);
      throw bug;
    }
  }

  async #workOn(entry: Entry<Key>, reconcile: Reconcile<Key>, signal: AbortSignal): Promise<void> {
    const running: Place = { kind: "running", again: undefined };
    entry.place = running;
    try {
      const { retryAfterMs } = await reconcile(entry.key, signal);
      entry.failureCount = 0;
      if (running.again !== undefined) this.#enqueue(entry, running.again);
      else if (retryAfterMs === undefined) this.#entries.delete(entry.key);
      else this.#delay(entry, retryAfterMs);
    } catch (error) {
      if (error instanceof BugError) throw error;
      const lane = fresher(running.again, entry.lane);
      if (isCancellation(signal, error)) this.#enqueue(entry, lane);
      else this.#fail(entry, error, running.again === undefined ? undefined : lane);
    }
  }

  /** Schedules the retry: with backoff, or in the lane of an add that came meanwhile. */
  #fail(entry: Entry<Key>, error: unknown, again: Lane | undefined): void {
    const { backoff, random, onFailure } = this.#options;
    let delayMs: number | undefined;
    if (again === undefined) {
      delayMs = retryAfterMsOf(error) + backoffDelayMs(backoff, entry.failureCount, random);
      this.#delay(entry, delayMs);
    } else {
      this.#enqueue(entry, again);
    }
    entry.failureCount += 1;
    onFailure?.({ key: entry.key, error, failureCount: entry.failureCount, delayMs });
  }

  #enqueue(entry: Entry<Key>, lane: Lane = entry.lane): void {
    entry.lane = lane;
    entry.place = { kind: "queued", leave: this.#lanes.push(entry, lane) };
    this.#idleWorkers.resolveFirst();
  }

  #delay(entry: Entry<Key>, delayMs: number): void {
    entry.place = { kind: "delayed", leave: this.#delayed.push(delayMs, entry) };
  }
}

function fresher(one: Lane | undefined, other: Lane): Lane {
  return one === "fresh" ? "fresh" : other;
}
