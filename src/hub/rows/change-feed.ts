// SPDX-License-Identifier: Apache-2.0
import { isCancellation } from "../../base/abort.ts";
import { FlotillaError } from "../../base/error.ts";
import { WaitQueue } from "../../base/queues/wait-queue.ts";
import type { FeedCursor, FlushChanges, RowChange } from "./fleet-reader.ts";

/** The default bound in bytes on changes kept for readers: some 400,000 changes. */
export const defaultFeedBytes = 32 * 1024 * 1024;

/** The changes of one flush in a compact form. `list` builds the values anew on each call. */
export interface KeptChanges {
  readonly length: number;
  readonly sizeBytes: number;
  list(): readonly RowChange[];
}

/** A kept flush. The values are built when it is read. */
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
 * Row changes in the order in which they became visible. The newest are kept, within a bound in bytes. Readers pull at
 * their own pace and cost nothing while they wait. A reader that falls behind the kept changes gets GONE and must start
 * from the rows (L1, L13): the feed never waits for a reader and never skips a change silently.
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

  /** The position after the newest change. A reader of the current rows continues from here. */
  get cursor(): FeedCursor {
    return { feedId: this.feedId, position: this.#position };
  }

  /** The position before the oldest kept change. */
  get oldest(): FeedCursor {
    return { feedId: this.feedId, position: this.#position - (this.#kept.length - this.#first) };
  }

  get keptBytes(): number {
    return this.#keptBytes;
  }

  /**
   * Adds the changes of a flush. An empty list adds nothing. A flush larger than the bound takes a position but is not
   * kept.
   */
  push(cluster: string, receivedAtMs: number, changes: KeptChanges): void {
    if (changes.length === 0) return;
    this.#position += 1;
    const flush = new KeptFlush(this.#position, cluster, receivedAtMs, changes);
    this.#kept.push(flush);
    this.#keptBytes += flush.sizeBytes;
    while (this.#keptBytes > this.#maxBytes) this.#dropOldest();
    this.#readers.resolveAll();
  }

  /** Throws GONE if changes after the cursor are no longer kept, or if the cursor belongs to another feed. */
  assertKept({ feedId, position }: FeedCursor): void {
    if (feedId !== this.feedId || position > this.#position) throw gone("is of another start of the hub");
    if (position < this.oldest.position) throw gone("is older than what is kept");
  }

  /**
   * Yields the changes after the cursor as they arrive, until the signal aborts. Throws GONE if some of them are no
   * longer kept, or if the cursor belongs to another feed.
   */
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

  /**
   * Yields the kept changes up to a position, newest first. Ends at the oldest kept change. Never waits and never
   * throws.
   */
  *readBack(upTo: number): Generator<FlushChanges, void, undefined> {
    for (let position = Math.min(upTo, this.#position); position > this.oldest.position; position -= 1) {
      const flush = this.#kept[this.#first + position - this.oldest.position - 1];
      if (flush !== undefined) yield flush;
    }
  }

  /** Resolves at the next push, or when the signal aborts. */
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
    // Dropped entries are removed in blocks: removing each one alone would move all others.
    if (this.#first * 2 <= this.#kept.length) return;
    this.#kept.splice(0, this.#first);
    this.#first = 0;
  }
}

function gone(fault: string): FlotillaError {
  return new FlotillaError("GONE", `the position in the feed of changes ${fault}; read the rows and go on from there`);
}
