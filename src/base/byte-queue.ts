// SPDX-License-Identifier: Apache-2.0
import { abortReason, throwIfAborted } from "./abort.ts";
import { assert } from "./assert.ts";
import { FlotillaError } from "./error.ts";
import { type Defined, LinkedList } from "./linked-list.ts";
import { WaitLine } from "./wait-line.ts";

/** What happens to a push for which there is no room (L13). */
export type OverflowRule = "backpressure" | "coalesce";

export interface ByteQueueOptions<T> {
  /** What the queue holds, for messages: "flushes to the hub". */
  readonly name: string;
  /** The most that all entries together may weigh. */
  readonly boundBytes: number;
  /** The weight of one value, at least 1; asked once, at its push. */
  readonly sizeOf: (value: T) => number;
}

/** A value in line with the weight it was counted with. */
export interface ByteQueueEntry<T> {
  value: T;
  sizeBytes: number;
}

/**
 * First in, first out, bounded in bytes: at every moment `sizeBytes` is the sum of the entries in line and at most
 * `boundBytes`. Nothing is ever dropped. This is the reader's side, shared by both overflow rules; the rule is in the type
 * of the writer's side. Any number of readers may wait; each value goes to one of them.
 */
export abstract class ByteQueue<T extends Defined> {
  abstract readonly overflow: OverflowRule;
  readonly boundBytes: number;
  readonly #name: string;
  readonly #sizeOf: (value: T) => number;
  readonly #line = new LinkedList<ByteQueueEntry<T>>();
  readonly #takers = new WaitLine<T | undefined>();
  readonly #drainers = new WaitLine();
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

  /** How many entries are in line. */
  get length(): number {
    return this.#line.length;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Takes the oldest value, if there is one, without waiting. */
  tryTake(): T | undefined {
    const entry = this.#line.shift();
    if (entry === undefined) return undefined;
    this.#sizeBytes -= entry.sizeBytes;
    this.onTaken(entry.value);
    if (this.#line.length === 0) this.#drainers.resolveAll();
    return entry.value;
  }

  /**
   * Takes the oldest value, waiting for one; undefined when the queue is closed and empty. Several readers go on in the order
   * of the values they got: the promise is handed out as it is, since an async function would add turns to the waiting ones.
   */
  take(signal?: AbortSignal): Promise<T | undefined> {
    if (signal?.aborted) return Promise.reject(abortReason(signal));
    const value = this.tryTake();
    if (value !== undefined || this.#isClosed) return Promise.resolve(value);
    return this.#takers.wait(undefined, signal);
  }

  /** Resolves when the line is empty. It says that all was taken, not that the readers are done with it. */
  async drain(signal?: AbortSignal): Promise<void> {
    throwIfAborted(signal);
    if (this.#line.length > 0) await this.#drainers.wait(undefined, signal);
  }

  /** Refuses pushes from now on. What is in line can still be taken; after that readers get undefined. */
  close(): void {
    this.#isClosed = true;
    this.#takers.resolveAll(undefined);
  }

  /** Called when a value has left the line, with its bytes free again. */
  protected abstract onTaken(value: T): void;

  /** Weighs a value. TOO_LARGE for one that would not fit even into the empty queue. */
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

  /** Adds at the end, or hands over to a waiting reader; false in the second case. The caller has checked for room. */
  protected append(entry: ByteQueueEntry<T>): boolean {
    if (this.#takers.resolveFirst(entry.value)) return false;
    this.#line.push(entry);
    this.#sizeBytes += entry.sizeBytes;
    return true;
  }

  /** Puts a value in the place of one that is in line. The caller has checked for room. */
  protected replace(entry: ByteQueueEntry<T>, by: ByteQueueEntry<T>): void {
    this.#sizeBytes += by.sizeBytes - entry.sizeBytes;
    entry.value = by.value;
    entry.sizeBytes = by.sizeBytes;
  }

  protected closedError(): FlotillaError {
    return new FlotillaError("UNAVAILABLE", `the queue of ${this.#name} is closed`);
  }
}
