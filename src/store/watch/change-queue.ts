// SPDX-License-Identifier: Apache-2.0
import type { EngineChange } from "../store-engine.ts";

/** The array is cut once this many places of removed changes are empty. Below it, cutting costs more than it frees. */
const minCutCount = 1024;

/** Changes in revision order. They are added at the newest end and removed at the oldest. */
export class ChangeQueue {
  /** Places before `#start` are empty. The array is cut when they are half of it. */
  #changes: (EngineChange | undefined)[] = [];
  #start = 0;

  get count(): number {
    return this.#changes.length - this.#start;
  }

  /** Adds a change that is newer than all others here. */
  push(change: EngineChange): void {
    this.#changes.push(change);
  }

  /** Removes and returns the oldest change; undefined if there is none. */
  shift(): EngineChange | undefined {
    const oldest = this.#changes[this.#start];
    if (oldest === undefined) return undefined;
    this.#changes[this.#start] = undefined;
    this.#start += 1;
    if (this.#start > minCutCount && this.#start * 2 > this.#changes.length) {
      this.#changes = this.#changes.slice(this.#start);
      this.#start = 0;
    }
    return oldest;
  }

  /** The changes after `revision`. */
  after(revision: number): readonly EngineChange[] {
    let low = this.#start;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#changes[middle]?.revision ?? 0) > revision) high = middle;
      else low = middle + 1;
    }
    return this.#changes.slice(low) as readonly EngineChange[];
  }
}
