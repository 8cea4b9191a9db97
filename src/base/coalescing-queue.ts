// SPDX-License-Identifier: Apache-2.0
import { ByteQueue, type ByteQueueEntry, type ByteQueueOptions } from "./byte-queue.ts";
import type { Defined } from "./linked-list.ts";

export interface CoalescingQueueOptions<Key, T> extends ByteQueueOptions<T> {
  /** What a value is about; the same for as long as the value is in line. A newer value of a key makes the older one needless. */
  readonly keyOf: (value: T) => Key;
}

/**
 * What became of a push. `queued`: at the end of the line; `replaced`: in the place of the older value of its key; `full`:
 * refused for lack of room, everything in line as before; `closed`: refused, the queue takes nothing more.
 */
export type CoalescedPush = "queued" | "replaced" | "full" | "closed";

/**
 * A byte queue with at most one value per key, whose writers never wait (L13). A key keeps its first place in line, so a
 * busy one does not starve the others. On `full` the writer still has the value: it waits for `drain`, or counts its reader
 * as fallen behind.
 */
export class CoalescingQueue<Key, T extends Defined> extends ByteQueue<T> {
  override readonly overflow = "coalesce";
  readonly #keyOf: (value: T) => Key;
  readonly #byKey = new Map<Key, ByteQueueEntry<T>>();

  constructor(options: CoalescingQueueOptions<Key, T>) {
    super(options);
    this.#keyOf = options.keyOf;
  }

  /** Puts the newest value of its key in line, or says why not. Throws TOO_LARGE for one that can never fit. */
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
