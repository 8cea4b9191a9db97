// SPDX-License-Identifier: Apache-2.0
import { throwIfAborted } from "./abort.ts";
import { ByteQueue, type ByteQueueEntry } from "./byte-queue.ts";
import type { Defined } from "./linked-list.ts";
import { WaitQueue } from "./wait-queue.ts";

/**
 * A byte queue whose writers wait while it is full (L13). Writers are served in order: a small push does not overtake a
 * large one.
 */
export class BackpressureQueue<T extends Defined> extends ByteQueue<T> {
  override readonly overflow = "backpressure";
  readonly #writers = new WaitQueue<void, ByteQueueEntry<T>>();

  /** Number of pushes that wait for room. */
  get waitingCount(): number {
    return this.#writers.length;
  }

  /**
   * Resolves when the value is queued; if there is room it is queued before the call returns. If it rejects, the value
   * is not and will not be queued: with TOO_LARGE, with UNAVAILABLE once closed, or with the signal's reason.
   */
  async push(value: T, signal?: AbortSignal): Promise<void> {
    throwIfAborted(signal);
    if (this.isClosed) throw this.closedError();
    const entry = this.weigh(value);
    if (this.#writers.length === 0 && this.hasRoomFor(entry.sizeBytes)) {
      this.append(entry);
      return;
    }
    try {
      await this.#writers.wait(entry, signal);
    } catch (reason) {
      this.#admit(); // A cancelled push at the head may have blocked smaller ones behind it.
      throw reason;
    }
  }

  override close(): void {
    super.close();
    this.#writers.rejectAll(this.closedError());
  }

  protected override onTaken(): void {
    this.#admit();
  }

  #admit(): void {
    for (let entry = this.#writers.firstTicket; entry !== undefined; entry = this.#writers.firstTicket) {
      if (!this.hasRoomFor(entry.sizeBytes)) return;
      this.append(entry);
      this.#writers.resolveFirst();
    }
  }
}
