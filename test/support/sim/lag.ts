// SPDX-License-Identifier: Apache-2.0
import type { CancelTimer, Clock } from "../../../src/base/time/clock.ts";

/** Holds messages back for a reader that takes its time for each. Order stays; without a delay they pass at once. */
export class Lag {
  readonly #clock: Clock;
  readonly #delayMs: () => number;
  readonly #deliver: (message: Uint8Array) => void;
  #line: Uint8Array[] = [];
  #cancel: CancelTimer | undefined;

  constructor(clock: Clock, delayMs: () => number, deliver: (message: Uint8Array) => void) {
    this.#clock = clock;
    this.#delayMs = delayMs;
    this.#deliver = deliver;
  }

  /** Messages that the reader cannot see yet. */
  get length(): number {
    return this.#line.length;
  }

  push(message: Uint8Array): void {
    this.#line.push(message);
    this.#arm();
  }

  /** The delay is another now, also for what waits. */
  restart(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#arm();
  }

  /** Loses all that waits. */
  clear(): void {
    this.#line = [];
    this.restart();
  }

  #arm(): void {
    while (this.#cancel === undefined && this.#line.length > 0) {
      const delayMs = this.#delayMs();
      if (delayMs > 0) this.#cancel = this.#clock.setTimer(delayMs, () => this.#pass());
      else this.#deliverFirst();
    }
  }

  #pass(): void {
    this.#cancel = undefined;
    this.#deliverFirst();
    this.#arm();
  }

  #deliverFirst(): void {
    const message = this.#line.shift();
    if (message !== undefined) this.#deliver(message);
  }
}
