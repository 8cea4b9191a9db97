// SPDX-License-Identifier: Apache-2.0
import type { CodeArray } from "./field-source.ts";
import type { RowSelection } from "./row-selection.ts";

/** Counts by code. Reading and clearing them takes time for the codes that were counted, not for all codes. */
export class CodeCounts {
  #counts = new Uint32Array(64);
  #counted = new Uint32Array(64);
  #countedLength = 0;

  add(code: number, count: number): void {
    this.#reserve(code + 1);
    if (this.#counts[code] === 0) {
      this.#counted[this.#countedLength] = code;
      this.#countedLength += 1;
    }
    this.#counts[code] = (this.#counts[code] ?? 0) + count;
  }

  /** Counts the codes of selected rows. All codes are below `limit`. */
  addCodes(codes: CodeArray, { rows, count, isAll }: RowSelection, limit: number): void {
    this.#reserve(limit);
    const [counts, counted] = [this.#counts, this.#counted];
    let length = this.#countedLength;
    for (let at = 0; at < count; at += 1) {
      const code = codes[isAll ? at : (rows[at] ?? 0)] ?? 0;
      const before = counts[code] ?? 0;
      if (before === 0) {
        counted[length] = code;
        length += 1;
      }
      counts[code] = before + 1;
    }
    this.#countedLength = length;
  }

  /** Calls back with each counted code, and clears the counts. */
  drain(each: (code: number, count: number) => void): void {
    const length = this.#countedLength;
    this.#countedLength = 0;
    for (let at = 0; at < length; at += 1) {
      const code = this.#counted[at] ?? 0;
      const count = this.#counts[code] ?? 0;
      this.#counts[code] = 0;
      each(code, count);
    }
  }

  #reserve(limit: number): void {
    if (limit <= this.#counts.length) return;
    const length = Math.max(limit, Math.ceil(this.#counts.length * 1.5));
    const [counts, counted] = [new Uint32Array(length), new Uint32Array(length)];
    counts.set(this.#counts);
    counted.set(this.#counted);
    this.#counts = counts;
    this.#counted = counted;
  }
}
