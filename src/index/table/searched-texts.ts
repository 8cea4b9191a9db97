// SPDX-License-Identifier: Apache-2.0
import { grownLength } from "./growing-store.ts";

/** Ids between two searched ones that are searched too: ending a run and beginning another takes longer. */
const maxGap = 8;

/**
 * The texts that free text is searched in: names, reasons and messages. Most are adjacent in the dictionary, because
 * they come together; the others, such as labels and images, are skipped.
 */
export class SearchedTexts {
  /** One bit per text id. */
  #flags = new Uint8Array(8);
  /** First and end ids of runs in turn, ascending. */
  #runs = new Uint32Array(8);
  #runCount = 0;
  /** Ids that were added to the dictionary for another use first. */
  #strays = new Uint32Array(8);
  #strayCount = 0;

  get sizeBytes(): number {
    return this.#flags.byteLength + this.#runs.byteLength + this.#strays.byteLength;
  }

  has(id: number): boolean {
    return ((this.#flags[id >>> 3] ?? 0) & (1 << (id & 7))) !== 0;
  }

  add(id: number): void {
    if (id === 0 || this.has(id)) return;
    if (id >>> 3 >= this.#flags.length) {
      const larger = new Uint8Array(grownLength(this.#flags.length, (id >>> 3) + 1));
      larger.set(this.#flags);
      this.#flags = larger;
    }
    this.#flags[id >>> 3] = (this.#flags[id >>> 3] ?? 0) | (1 << (id & 7));
    const end = this.#runCount === 0 ? 0 : (this.#runs[this.#runCount * 2 - 1] ?? 0);
    if (this.#runCount > 0 && id >= end && id <= end + maxGap) this.#runs[this.#runCount * 2 - 1] = id + 1;
    else if (id >= end) this.#addRun(id);
    else if (!this.#isInRun(id)) this.#addStray(id);
  }

  /** Calls back with ranges of adjacent ids. Together they have all searched ids, each once, and some others. */
  forEachRun(visit: (first: number, end: number) => void): void {
    for (let run = 0; run < this.#runCount; run += 1) visit(this.#runs[run * 2] ?? 0, this.#runs[run * 2 + 1] ?? 0);
    for (let at = 0; at < this.#strayCount; at += 1) visit(this.#strays[at] ?? 0, (this.#strays[at] ?? 0) + 1);
  }

  /** Removes the ids from `count` on. */
  truncate(count: number): void {
    const ids: number[] = [];
    this.forEachRun((first, end) => {
      for (let id = Math.max(first, count); id < end; id += 1) ids.push(id);
    });
    for (const id of ids) this.#flags[id >>> 3] = (this.#flags[id >>> 3] ?? 0) & ~(1 << (id & 7));
    this.#strayCount = keepBelow(this.#strays, this.#strayCount, count);
    while (this.#runCount > 0 && (this.#runs[this.#runCount * 2 - 2] ?? 0) >= count) this.#runCount -= 1;
    const lastEnd = this.#runCount * 2 - 1;
    if (this.#runCount > 0) this.#runs[lastEnd] = Math.min(this.#runs[lastEnd] ?? 0, count);
  }

  #isInRun(id: number): boolean {
    let [low, high] = [0, this.#runCount];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#runs[middle * 2 + 1] ?? 0) <= id) low = middle + 1;
      else high = middle;
    }
    return low < this.#runCount && (this.#runs[low * 2] ?? 0) <= id;
  }

  #addRun(id: number): void {
    if (this.#runCount * 2 === this.#runs.length) {
      const larger = new Uint32Array((grownLength(this.#runs.length, this.#runs.length + 2) + 1) & ~1);
      larger.set(this.#runs);
      this.#runs = larger;
    }
    this.#runs[this.#runCount * 2] = id;
    this.#runs[this.#runCount * 2 + 1] = id + 1;
    this.#runCount += 1;
  }

  #addStray(id: number): void {
    if (this.#strayCount === this.#strays.length) {
      const larger = new Uint32Array(grownLength(this.#strays.length, this.#strayCount + 1));
      larger.set(this.#strays);
      this.#strays = larger;
    }
    this.#strays[this.#strayCount] = id;
    this.#strayCount += 1;
  }
}

function keepBelow(ids: Uint32Array, count: number, bound: number): number {
  let kept = 0;
  for (let at = 0; at < count; at += 1) {
    const id = ids[at] ?? 0;
    ids[kept] = id;
    kept += id < bound ? 1 : 0;
  }
  return kept;
}
