// SPDX-License-Identifier: Apache-2.0
import { assert } from "../assert.ts";
import { DueHeap } from "../queues/due-heap.ts";
import { type CancelTimer, type Clock, sleepOn } from "../time/clock.ts";

/**
 * A clock that moves only when advanced. Timers run in order of due time, then of creation, each with the clock at
 * exactly its due time, so that a test or simulation is the same on every run.
 */
export class ManualClock implements Clock {
  #nowMs = 0;
  readonly #wallStartMs: number;
  readonly #timers = new DueHeap<() => void>();

  constructor(options: { readonly wallStartMs?: number } = {}) {
    this.#wallStartMs = options.wallStartMs ?? Date.UTC(2026, 0, 1);
  }

  nowMs(): number {
    return this.#nowMs;
  }

  wallMs(): number {
    return this.#wallStartMs + this.#nowMs;
  }

  setTimer(delayMs: number, callback: () => void): CancelTimer {
    // Rounded up to whole milliseconds, like real timers: a fraction could be too small to move the clock and would
    // never become due.
    return this.#timers.push(this.#nowMs + Math.max(0, Math.ceil(delayMs)), callback);
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal);
  }

  /** Number of pending timers; a test that ends with one left has leaked it. */
  get timerCount(): number {
    return this.#timers.length;
  }

  /** Due time of the next timer; undefined if there is none. */
  get nextDueMs(): number | undefined {
    return this.#timers.firstDueMs;
  }

  /** Moves to the next timer and runs only that one. False if there is none. */
  runNext(): boolean {
    const dueMs = this.#timers.firstDueMs;
    if (dueMs === undefined) return false;
    this.#nowMs = Math.max(this.#nowMs, dueMs);
    this.#timers.takeDue(dueMs)?.();
    return true;
  }

  /**
   * Moves `byMs` forward and runs the timers that become due. Between two timers all ready promise callbacks run first,
   * so that code that sleeps in a loop gets each of its wake-ups.
   */
  async advance(byMs: number): Promise<void> {
    assert(byMs >= 0, "a clock only moves forward");
    const untilMs = this.#nowMs + byMs;
    await settle();
    for (let due = this.nextDueMs; due !== undefined && due <= untilMs; due = this.nextDueMs) {
      this.runNext();
      await settle();
    }
    this.#nowMs = untilMs;
  }
}

/** Runs all ready promise callbacks: the macrotask runs only after the microtask queue is empty. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
