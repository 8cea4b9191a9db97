// SPDX-License-Identifier: Apache-2.0
import type { CancelTimer, Clock } from "../../../src/base/time/clock.ts";

/** What the head of the line meets when its time has come: it goes through, waits for `resume`, or is lost. */
export type Passage = "pass" | "hold" | "drop";

export interface PipeOptions<T> {
  readonly clock: Clock;
  /**
   * When a value pushed now is due, given when the one before it was. It may be earlier than that one: it waits for it.
   */
  readonly dueMs: (nowMs: number, lastDueMs: number) => number;
  readonly passage: (value: T) => Passage;
  readonly deliver: (value: T) => void;
}

/**
 * Values that come out later than they went in, always in the order in which they went in. It holds at most one timer.
 */
export class Pipe<T> {
  readonly #options: PipeOptions<T>;
  #line: { readonly value: T; readonly dueMs: number }[] = [];
  #lastDueMs = 0;
  #cancel: CancelTimer | undefined;

  constructor(options: PipeOptions<T>) {
    this.#options = options;
  }

  get length(): number {
    return this.#line.length;
  }

  push(value: T): void {
    const nowMs = this.#options.clock.nowMs();
    this.#lastDueMs = this.#options.dueMs(nowMs, this.#lastDueMs);
    this.#line.push({ value, dueMs: this.#lastDueMs });
    if (this.#line.length === 1) this.#arm(this.#lastDueMs);
  }

  /** Goes on after a hold: the head starts its way again, the others follow it. */
  resume(): void {
    if (this.#line.length === 0 || this.#cancel !== undefined) return;
    this.#arm(this.#options.dueMs(this.#options.clock.nowMs(), 0));
  }

  /** Loses all that is inside. */
  clear(): void {
    this.#line = [];
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #arm(dueMs: number): void {
    this.#cancel = this.#options.clock.setTimer(dueMs - this.#options.clock.nowMs(), () => {
      this.#cancel = undefined;
      this.#passHead();
    });
  }

  #passHead(): void {
    const head = this.#line[0];
    if (head === undefined) return;
    const passage = this.#options.passage(head.value);
    if (passage === "hold") return;
    this.#line.shift();
    const next = this.#line[0];
    if (next !== undefined) this.#arm(next.dueMs);
    if (passage === "pass") this.#options.deliver(head.value);
  }
}
