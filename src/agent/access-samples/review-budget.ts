// SPDX-License-Identifier: Apache-2.0

/** Limits how often something is done: at most `maxCount` times in any window of this length. Pure. */
export class ReviewBudget {
  readonly #maxCount: number;
  readonly #windowMs: number;
  /** The times of the last uses, oldest first; at most `maxCount`. */
  readonly #usedAtMs: number[] = [];

  constructor(maxCount: number, windowMs: number) {
    this.#maxCount = maxCount;
    this.#windowMs = windowMs;
  }

  /** Whether one more is allowed now. If so, it counts as used. `nowMs` never decreases. */
  take(nowMs: number): boolean {
    const [oldestMs] = this.#usedAtMs;
    if (this.#usedAtMs.length >= this.#maxCount) {
      if (oldestMs === undefined || nowMs - oldestMs < this.#windowMs) return false;
      this.#usedAtMs.shift();
    }
    this.#usedAtMs.push(nowMs);
    return true;
  }
}
