// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../base/time/clock.ts";

/**
 * Up to this number of watches, every change is notified at once: waking a watch takes less than 0.1 ms
 * (bench/apiserver.ts).
 */
const promptCount = 16;
/**
 * Pause between two notifications, per watch: about twice the cost of sending it a chunk, which leaves time for other
 * work.
 */
const pausePerWatchMs = 0.2;
/**
 * The maximum delay of an event, for any number of watches. At 1,000 writes a second a chunk then holds 20 events;
 * without pauses it holds 11 (bench/apiserver.ts).
 */
const maxPauseMs = 20;

/**
 * Notifies the watches of one resource of new events. The first notification after a silence is immediate. With many
 * watches and frequent changes it pauses between notifications, so that each watch receives several events in one
 * chunk, and all watches share that chunk.
 */
export class WatchNotifier {
  readonly #wakers = new Set<() => void>();
  readonly #clock: Clock | undefined;
  #notifiedAtMs = Number.NEGATIVE_INFINITY;
  #isDue = false;

  /** Without a clock there are no pauses. */
  constructor(clock?: Clock) {
    this.#clock = clock;
  }

  /** Calls `waker` at each notification, until the returned function is called. */
  onNotify(waker: () => void): () => void {
    this.#wakers.add(waker);
    return () => void this.#wakers.delete(waker);
  }

  /** Notifies now, or at the end of the pause. */
  notify(): void {
    if (this.#isDue) return;
    const clock = this.#clock;
    if (clock === undefined || this.#wakers.size <= promptCount) {
      this.#wake();
      return;
    }
    const pauseMs = Math.min(maxPauseMs, this.#wakers.size * pausePerWatchMs);
    const leftMs = this.#notifiedAtMs + pauseMs - clock.nowMs();
    if (leftMs <= 0) {
      this.#notifiedAtMs = clock.nowMs();
      this.#wake();
      return;
    }
    this.#isDue = true;
    clock.setTimer(leftMs, () => {
      this.#isDue = false;
      this.#notifiedAtMs = clock.nowMs();
      this.#wake();
    });
  }

  #wake(): void {
    for (const waker of this.#wakers) waker();
  }
}
