// SPDX-License-Identifier: Apache-2.0
import { assert } from "./assert.ts";
import type { CancelTimer, Clock } from "./clock.ts";
import { DueHeap } from "./due-heap.ts";
import type { Defined } from "./linked-list.ts";

/**
 * Hands each value to `onDue` when its delay is over, soonest first. However many wait, it holds one timer of the clock, and
 * none while stopped; what fell due meanwhile is handed over soon after `start`.
 */
export class DueTimer<T extends Defined> {
  readonly #clock: Clock;
  readonly #onDue: (value: T) => void;
  readonly #heap = new DueHeap<T>();
  #timer: { readonly dueMs: number; readonly cancel: CancelTimer } | undefined;
  #isStarted = false;

  constructor(clock: Clock, onDue: (value: T) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  /** How many values wait. */
  get length(): number {
    return this.#heap.length;
  }

  /** Adds a value. What it returns takes the value out again; calling that after the value left does nothing. */
  push(delayMs: number, value: T): () => void {
    assert(delayMs >= 0, "a delay is 0 or more");
    const leave = this.#heap.push(this.#clock.nowMs() + delayMs, value);
    this.#arm();
    return leave;
  }

  start(): void {
    this.#isStarted = true;
    this.#arm();
  }

  /** Lets go of the timer. The values stay, and so do their due times. */
  stop(): void {
    this.#isStarted = false;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(): void {
    const dueMs = this.#heap.firstDueMs;
    if (!this.#isStarted || dueMs === undefined) return;
    if (this.#timer !== undefined && this.#timer.dueMs <= dueMs) return;
    this.#timer?.cancel();
    const cancel = this.#clock.setTimer(dueMs - this.#clock.nowMs(), () => {
      this.#timer = undefined;
      try {
        this.#handOver();
      } finally {
        this.#arm(); // one that threw has left the heap; the others that are due follow
      }
    });
    this.#timer = { dueMs, cancel };
  }

  #handOver(): void {
    const nowMs = this.#clock.nowMs();
    for (let value = this.#heap.takeDue(nowMs); value !== undefined; value = this.#heap.takeDue(nowMs))
      this.#onDue(value);
  }
}
