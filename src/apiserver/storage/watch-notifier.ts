// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../base/clock.ts";

/** So few watches are notified at once, however often: to wake one costs less than 0.1 ms (bench/apiserver.ts). */
const promptCount = 16;
/** Between two notifications, for each watch: about twice what it costs to send it a chunk, so that time is left for other work. */
const pausePerWatchMs = 0.2;
/** The longest that an event waits, however many watches there are. At 1,000 writes a second a chunk then holds 20 events; without pauses it holds 11 (bench/apiserver.ts). */
const maxPauseMs = 20;

/**
 * Notifies the watches of one resource that there are new events. After silence it notifies at once. Where many watches follow what changes often, it pauses
 * between two notifications: each watch is then sent several events in one piece, and all of them the same piece.
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

  /** Calls `waker` at each notification, until undone. */
  onNotify(waker: () => void): () => void {
    this.#wakers.add(waker);
    return () => void this.#wakers.delete(waker);
  }

  /** There is something new: notifies now, or when the pause is over. */
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
