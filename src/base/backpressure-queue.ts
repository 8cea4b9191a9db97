// SPDX-License-Identifier: Apache-2.0
import { throwIfAborted } from "./abort.ts";
import { ByteQueue, type ByteQueueEntry } from "./byte-queue.ts";
import type { Defined } from "./linked-list.ts";
import { WaitLine } from "./wait-line.ts";

/** A byte queue whose writers wait while it is full (L13). Writers are served in order: a small push never overtakes a large one. */
export class BackpressureQueue<T extends Defined> extends ByteQueue<T> {
  override readonly overflow = "backpressure";
  readonly #writers = new WaitLine<void, ByteQueueEntry<T>>();

  /** How many pushes wait for room. */
  get waitingCount(): number {
    return this.#writers.length;
  }

  /**
   * Resolves when the value is in line; it is there on return if there was room. Rejects, and the value is not and will not
   * be in line, with TOO_LARGE, with UNAVAILABLE once closed, or with the signal's reason.
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
      this.#admit(); // One that left the head of the line may have held back others that fit.
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
