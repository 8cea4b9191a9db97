// SPDX-License-Identifier: Apache-2.0
import { isCancellation } from "../../base/abort.ts";
import { FlotillaError } from "../../base/error.ts";
import { WaitQueue } from "../../base/wait-queue.ts";
import type { RowChange } from "./picture.ts";

/** What one flush changed, at one position of the feed. */
export interface FlushChanges {
  /** Counts up by one for each. */
  readonly position: number;
  readonly cluster: string;
  /** The hub's receive time. */
  readonly receivedAtMs: number;
  readonly changes: readonly RowChange[];
}

/** Where a reader stands. A feed lives as long as its hub, so a position belongs to one feed. */
export interface FeedCursor {
  readonly feedId: string;
  readonly position: number;
}

/** Bytes kept for readers that come back, unless set: some 400,000 changes. */
export const defaultFeedBytes = 32 * 1024 * 1024;

/** Changes of one flush in a form that is cheap to keep; `list` makes the values, anew each time. */
export interface KeptChanges {
  readonly length: number;
  readonly sizeBytes: number;
  list(): readonly RowChange[];
}

/** One flush as it is kept: values are made for who reads it. */
class KeptFlush implements FlushChanges {
  readonly position: number;
  readonly cluster: string;
  readonly receivedAtMs: number;
  readonly #kept: KeptChanges;

  constructor(position: number, cluster: string, receivedAtMs: number, kept: KeptChanges) {
    this.position = position;
    this.cluster = cluster;
    this.receivedAtMs = receivedAtMs;
    this.#kept = kept;
  }

  get changes(): readonly RowChange[] {
    return this.#kept.list();
  }

  get sizeBytes(): number {
    return this.#kept.sizeBytes;
  }
}

/**
 * Changes of rows in the order in which they became visible, the newest of them kept within a bound in bytes. Readers pull at their own pace
 * and cost nothing while they wait. One that falls behind what is kept is told GONE and starts from the rows (L1, L13): the feed
 * never waits for anybody, and never leaves a change out in silence.
 */
export class ChangeFeed {
  readonly feedId: string;
  readonly #maxBytes: number;
  readonly #kept: KeptFlush[] = [];
  readonly #readers = new WaitQueue();
  #first = 0;
  #keptBytes = 0;
  #position = 0;

  constructor(feedId: string, maxBytes = defaultFeedBytes) {
    this.feedId = feedId;
    this.#maxBytes = maxBytes;
  }

  /** After the newest change: what a reader of the present rows goes on from. */
  get cursor(): FeedCursor {
    return { feedId: this.feedId, position: this.#position };
  }

  /** Before the oldest change that is kept. */
  get oldest(): FeedCursor {
    return { feedId: this.feedId, position: this.#position - (this.#kept.length - this.#first) };
  }

  get keptBytes(): number {
    return this.#keptBytes;
  }

  /** Adds what a flush changed; nothing when that is nothing. A flush larger than the bound is counted and not kept. */
  push(cluster: string, receivedAtMs: number, changes: KeptChanges): void {
    if (changes.length === 0) return;
    this.#position += 1;
    const flush = new KeptFlush(this.#position, cluster, receivedAtMs, changes);
    this.#kept.push(flush);
    this.#keptBytes += flush.sizeBytes;
    while (this.#keptBytes > this.#maxBytes) this.#dropOldest();
    this.#readers.resolveAll();
  }

  /** Throws GONE when changes after the cursor are no longer kept, or it is of another feed. */
  assertKept({ feedId, position }: FeedCursor): void {
    if (feedId !== this.feedId || position > this.#position) throw gone("is of another start of the hub");
    if (position < this.oldest.position) throw gone("is older than what is kept");
  }

  /** Changes after the cursor, as they come, until the signal aborts. Throws GONE when some of them are no longer kept, or it is of another feed. */
  async *read(from: FeedCursor, signal: AbortSignal): AsyncGenerator<FlushChanges, void, undefined> {
    let { position } = from;
    while (!signal.aborted) {
      this.assertKept({ feedId: from.feedId, position });
      const { position: oldest } = this.oldest;
      const next = this.#kept[this.#first + position - oldest];
      if (next === undefined) {
        await this.#wait(signal);
        continue;
      }
      position = next.position;
      yield next;
    }
  }

  /** What is kept up to a position, the newest first; ends where nothing older is kept. Waits for nothing, and never throws. */
  *readBack(upTo: number): Generator<FlushChanges, void, undefined> {
    for (let position = Math.min(upTo, this.#position); position > this.oldest.position; position -= 1) {
      const flush = this.#kept[this.#first + position - this.oldest.position - 1];
      if (flush !== undefined) yield flush;
    }
  }

  /** Ends at the next push, or when the signal aborts. */
  async #wait(signal: AbortSignal): Promise<void> {
    try {
      await this.#readers.wait(undefined, signal);
    } catch (reason) {
      if (!isCancellation(signal, reason)) throw reason;
    }
  }

  #dropOldest(): void {
    const oldest = this.#kept[this.#first];
    if (oldest === undefined) return;
    this.#keptBytes -= oldest.sizeBytes;
    this.#first += 1;
    // Dropped entries go in blocks, so that dropping one does not move all others.
    if (this.#first * 2 <= this.#kept.length) return;
    this.#kept.splice(0, this.#first);
    this.#first = 0;
  }
}

function gone(fault: string): FlotillaError {
  return new FlotillaError("GONE", `the position in the feed of changes ${fault}; read the rows and go on from there`);
}
