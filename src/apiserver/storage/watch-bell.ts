// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../base/clock.ts";

/** So few watches are told at once, however often: to wake one costs less than 0.1 ms (bench/apiserver.ts). */
const promptCount = 16;
/** Between two rings, for each watch: about twice what it costs to send it a chunk, so that time is left for everybody else. */
const pausePerWatchMs = 0.2;
/** Nobody waits longer for an event, however many watch. At 1,000 writes a second a chunk then holds 20 events; without pauses it holds 11 (bench/apiserver.ts). */
const maxPauseMs = 20;

/**
 * Wakes the watches of one resource. After silence they are woken at once. Where many watch what changes often, there is a pause between two rings, the same
 * for all: each watch is then sent several events in one piece, and all of them the same piece.
 */
export class WatchBell {
  readonly #wakers = new Set<() => void>();
  readonly #clock: Clock | undefined;
  #rangAtMs = Number.NEGATIVE_INFINITY;
  #isDue = false;

  /** Without a clock there are no pauses. */
  constructor(clock?: Clock) {
    this.#clock = clock;
  }

  /** Calls `waker` whenever the bell rings, until undone. */
  onRing(waker: () => void): () => void {
    this.#wakers.add(waker);
    return () => void this.#wakers.delete(waker);
  }

  /** There is something new: rings now, or when the pause is over. */
  ring(): void {
    if (this.#isDue) return;
    const clock = this.#clock;
    if (clock === undefined || this.#wakers.size <= promptCount) {
      this.#wake();
      return;
    }
    const pauseMs = Math.min(maxPauseMs, this.#wakers.size * pausePerWatchMs);
    const leftMs = this.#rangAtMs + pauseMs - clock.nowMs();
    if (leftMs <= 0) {
      this.#rangAtMs = clock.nowMs();
      this.#wake();
      return;
    }
    this.#isDue = true;
    clock.setTimer(leftMs, () => {
      this.#isDue = false;
      this.#rangAtMs = clock.nowMs();
      this.#wake();
    });
  }

  #wake(): void {
    for (const waker of this.#wakers) waker();
  }
}
