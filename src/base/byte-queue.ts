// SPDX-License-Identifier: Apache-2.0
import { abortReason, throwIfAborted } from "./abort.ts";
import { assert } from "./assert.ts";
import { FlotillaError } from "./error.ts";
import { type Defined, LinkedList } from "./linked-list.ts";
import { WaitQueue } from "./wait-queue.ts";

/** How a push without room is handled (L13). */
export type OverflowRule = "backpressure" | "coalesce";

export interface ByteQueueOptions<T> {
  /** The content of the queue, for error messages: "flushes to the hub". */
  readonly name: string;
  /** Maximum total size of all entries. */
  readonly boundBytes: number;
  /** Size of one value, at least 1; called once, at its push. */
  readonly sizeOf: (value: T) => number;
}

/** A queued value and its counted size. */
export interface ByteQueueEntry<T> {
  value: T;
  sizeBytes: number;
}

/**
 * A FIFO queue bounded in bytes: `sizeBytes` is always the sum of the queued entries and at most `boundBytes`. Nothing
 * is dropped. This class is the readers' side of both overflow rules; subclasses add `push`. Several readers may wait;
 * each value goes to one of them.
 */
export abstract class ByteQueue<T extends Defined> {
  abstract readonly overflow: OverflowRule;
  readonly boundBytes: number;
  readonly #name: string;
  readonly #sizeOf: (value: T) => number;
  readonly #entries = new LinkedList<ByteQueueEntry<T>>();
  readonly #takers = new WaitQueue<T | undefined>();
  readonly #drainers = new WaitQueue();
  #sizeBytes = 0;
  #isClosed = false;

  constructor(options: ByteQueueOptions<T>) {
    assert(options.boundBytes >= 1, `the bound of the queue of ${options.name} must be at least 1 byte`);
    this.boundBytes = options.boundBytes;
    this.#name = options.name;
    this.#sizeOf = options.sizeOf;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Number of queued entries. */
  get length(): number {
    return this.#entries.length;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Takes the oldest value without waiting; undefined if the queue is empty. */
  tryTake(): T | undefined {
    const entry = this.#entries.shift();
    if (entry === undefined) return undefined;
    this.#sizeBytes -= entry.sizeBytes;
    this.onTaken(entry.value);
    if (this.#entries.length === 0) this.#drainers.resolveAll();
    return entry.value;
  }

  /**
   * Takes the oldest value and waits for one if necessary; undefined once the queue is closed and empty. Several
   * readers continue in the order of their values. Not an async function, because that would add microtask turns for
   * waiting readers.
   */
  take(signal?: AbortSignal): Promise<T | undefined> {
    if (signal?.aborted) return Promise.reject(abortReason(signal));
    const value = this.tryTake();
    if (value !== undefined || this.#isClosed) return Promise.resolve(value);
    return this.#takers.wait(undefined, signal);
  }

  /** Resolves when the queue is empty: all values were taken, but readers may still be processing them. */
  async drain(signal?: AbortSignal): Promise<void> {
    throwIfAborted(signal);
    if (this.#entries.length > 0) await this.#drainers.wait(undefined, signal);
  }

  /** Refuses further pushes. Queued values can still be taken; after that readers get undefined. */
  close(): void {
    this.#isClosed = true;
    this.#takers.resolveAll(undefined);
  }

  /** Called after a value was taken and its bytes are free. */
  protected abstract onTaken(value: T): void;

  /** Measures a value. Throws TOO_LARGE if it would not fit even into the empty queue. */
  protected weigh(value: T): ByteQueueEntry<T> {
    const sizeBytes = this.#sizeOf(value);
    assert(Number.isSafeInteger(sizeBytes) && sizeBytes >= 1, `an entry of ${this.#name} must weigh at least 1 byte`);
    if (sizeBytes > this.boundBytes) {
      throw new FlotillaError(
        "TOO_LARGE",
        `an entry of ${sizeBytes} bytes is over the ${this.boundBytes} bytes that the queue of ${this.#name} can hold`,
        { ids: { sizeBytes, boundBytes: this.boundBytes } },
      );
    }
    return { value, sizeBytes };
  }

  protected hasRoomFor(sizeBytes: number): boolean {
    return this.#sizeBytes + sizeBytes <= this.boundBytes;
  }

  /** Appends the entry, or passes it to a waiting reader; false in the second case. The caller has checked for room. */
  protected append(entry: ByteQueueEntry<T>): boolean {
    if (this.#takers.resolveFirst(entry.value)) return false;
    this.#entries.push(entry);
    this.#sizeBytes += entry.sizeBytes;
    return true;
  }

  /** Replaces a queued value. The caller has checked for room. */
  protected replace(entry: ByteQueueEntry<T>, by: ByteQueueEntry<T>): void {
    this.#sizeBytes += by.sizeBytes - entry.sizeBytes;
    entry.value = by.value;
    entry.sizeBytes = by.sizeBytes;
  }

  protected closedError(): FlotillaError {
    return new FlotillaError("UNAVAILABLE", `the queue of ${this.#name} is closed`);
  }
}
