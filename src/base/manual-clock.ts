// SPDX-License-Identifier: Apache-2.0
import { assert } from "./assert.ts";
import { type CancelTimer, type Clock, sleepOn } from "./clock.ts";
import { DueHeap } from "./due-heap.ts";

/**
 * A clock that stands still until told to move. Timers run in order of their due time, then of their making, each with
 * the clock at exactly its due time; so a test, or a whole simulated world, is the same on every run.
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
    // Whole milliseconds, as the machine's timers are: a fraction could be too small to move the clock, and be waited for for ever.
    return this.#timers.push(this.#nowMs + Math.max(0, Math.ceil(delayMs)), callback);
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal);
  }

  /** How many timers wait; a test that ends with one left has leaked it. */
  get timerCount(): number {
    return this.#timers.length;
  }

  /** When the next timer is due, on this clock; undefined when none waits. */
  get nextDueMs(): number | undefined {
    return this.#timers.firstDueMs;
  }

  /** Moves to the next timer and runs it alone. False when none waits. */
  runNext(): boolean {
    const dueMs = this.#timers.firstDueMs;
    if (dueMs === undefined) return false;
    this.#nowMs = Math.max(this.#nowMs, dueMs);
    this.#timers.takeDue(dueMs)?.();
    return true;
  }

  /**
   * Moves `byMs` forward, running what falls due on the way. Between two timers all promise callbacks that are ready run
   * first, so code that sleeps in a loop meets each of its wake-ups.
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

/** Lets every promise callback that can run, run: the macrotask comes only after the microtask queue is empty. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
