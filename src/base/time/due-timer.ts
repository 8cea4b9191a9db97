// SPDX-License-Identifier: Apache-2.0
import { assert } from "../assert.ts";
import { DueHeap } from "../queues/due-heap.ts";
import type { Defined } from "../queues/linked-list.ts";
import type { CancelTimer, Clock } from "./clock.ts";

/**
 * Calls `onDue` with each value when its delay is over, soonest first. It uses one timer of the clock for all values,
 * and none while stopped. Values that became due while stopped are delivered soon after `start`.
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

  /** Number of waiting values. */
  get length(): number {
    return this.#heap.length;
  }

  /** Adds a value. The returned function removes it; it does nothing after the value was delivered. */
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

  /** Cancels the timer. The values and their due times stay. */
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
        this.#deliverDue();
      } finally {
        this.#arm(); // a value whose callback threw is already removed; other due values follow
      }
    });
    this.#timer = { dueMs, cancel };
  }

  #deliverDue(): void {
    const nowMs = this.#clock.nowMs();
    for (let value = this.#heap.takeDue(nowMs); value !== undefined; value = this.#heap.takeDue(nowMs))
      this.#onDue(value);
  }
}
