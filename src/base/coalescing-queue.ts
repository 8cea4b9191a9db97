// SPDX-License-Identifier: Apache-2.0
import { ByteQueue, type ByteQueueEntry, type ByteQueueOptions } from "./byte-queue.ts";
import type { Defined } from "./linked-list.ts";

export interface CoalescingQueueOptions<Key, T> extends ByteQueueOptions<T> {
  /** The key of a value; must not change while the value is queued. A newer value of a key replaces the older one. */
  readonly keyOf: (value: T) => Key;
}

/**
 * Result of a push. `queued`: appended; `replaced`: took the place of the older value of its key; `full`: refused for
 * lack of room, the queue is unchanged; `closed`: refused, the queue is closed.
 */
export type CoalescedPush = "queued" | "replaced" | "full" | "closed";

/**
 * A byte queue with at most one value per key, whose writers never wait (L13). A key keeps its first position, so that
 * a busy key does not starve the others. On `full` the writer keeps the value: it waits for `drain`, or treats its
 * reader as too slow.
 */
export class CoalescingQueue<Key, T extends Defined> extends ByteQueue<T> {
  override readonly overflow = "coalesce";
  readonly #keyOf: (value: T) => Key;
  readonly #byKey = new Map<Key, ByteQueueEntry<T>>();

  constructor(options: CoalescingQueueOptions<Key, T>) {
    super(options);
    this.#keyOf = options.keyOf;
  }

  /** Queues the newest value of its key, or returns why not. Throws TOO_LARGE for a value that can never fit. */
  push(value: T): CoalescedPush {
    if (this.isClosed) return "closed";
    const entry = this.weigh(value);
    const key = this.#keyOf(value);
    const older = this.#byKey.get(key);
    if (!this.hasRoomFor(entry.sizeBytes - (older?.sizeBytes ?? 0))) return "full";
    if (older !== undefined) {
      this.replace(older, entry);
      return "replaced";
    }
    if (this.append(entry)) this.#byKey.set(key, entry);
    return "queued";
  }

  protected override onTaken(value: T): void {
    this.#byKey.delete(this.#keyOf(value));
  }
}
