// SPDX-License-Identifier: Apache-2.0
import type { CodeArray, CodesOfRows } from "./field-source.ts";
import type { RowSelection } from "./row-selection.ts";

/** Up to this many codes, or four times as many as there are rows, it is faster to look at all counts than to list them. */
const maxDenseCodes = 1_024;

/** Counts by code. Reading and clearing them takes time for the codes that were counted, not for all codes. */
export class CodeCounts {
  #counts = new Uint32Array(64);
  /** Codes with a count, unless all codes below `denseLimit` are looked at. */
  #counted = new Uint32Array(64);
  #countedLength = 0;
  #denseLimit = 0;

  add(code: number, count: number): void {
    this.#reserve(code + 1);
    if (this.#counts[code] === 0 && code >= this.#denseLimit) this.#list(code);
    this.#counts[code] = (this.#counts[code] ?? 0) + count;
  }

  /** Counts the codes of selected rows. All codes are below `limit`. */
  addCodes(array: CodesOfRows, selection: RowSelection, limit: number): void {
    this.#reserve(limit);
    if (limit <= Math.max(this.#denseLimit, maxDenseCodes, selection.count * 4)) {
      this.#denseLimit = Math.max(this.#denseLimit, limit);
      countDense(array, selection, this.#counts);
    } else this.#addListed(array, selection);
  }

  /** Adds each count to `sums[ids[code]]`, and clears the counts. */
  drainInto(sums: Uint32Array, ids: Uint32Array): void {
    const [counts, counted] = [this.#counts, this.#counted];
    const [length, denseLimit] = [this.#countedLength, this.#denseLimit];
    this.#countedLength = 0;
    this.#denseLimit = 0;
    for (let code = 0; code < denseLimit; code += 1) {
      const id = ids[code] ?? 0;
      sums[id] = (sums[id] ?? 0) + (counts[code] ?? 0);
    }
    counts.fill(0, 0, denseLimit);
    for (let at = 0; at < length; at += 1) {
      const code = counted[at] ?? 0;
      const id = ids[code] ?? 0;
      sums[id] = (sums[id] ?? 0) + (counts[code] ?? 0);
      counts[code] = 0;
    }
  }

  /** Calls back with each counted code, and clears the counts. */
  drain(each: (code: number, count: number) => void): void {
    const [counts, counted] = [this.#counts, this.#counted];
    const [length, denseLimit] = [this.#countedLength, this.#denseLimit];
    this.#countedLength = 0;
    this.#denseLimit = 0;
    for (let code = 0; code < denseLimit; code += 1) {
      const count = counts[code] ?? 0;
      if (count === 0) continue;
      counts[code] = 0;
      each(code, count);
    }
    for (let at = 0; at < length; at += 1) {
      const code = counted[at] ?? 0;
      const count = counts[code] ?? 0;
      if (count === 0) continue;
      counts[code] = 0;
      each(code, count);
    }
  }

  #addListed({ codes, via }: CodesOfRows, { rows, count, isAll }: RowSelection): void {
    const counts = this.#counts;
    for (let at = 0; at < count; at += 1) {
      const own = codes[isAll ? at : (rows[at] ?? 0)] ?? 0;
      const code = via === undefined ? own : (via[own] ?? 0);
      const before = counts[code] ?? 0;
      if (before === 0) this.#list(code);
      counts[code] = before + 1;
    }
  }

  #list(code: number): void {
    if (this.#countedLength === this.#counted.length) {
      const larger = new Uint32Array(this.#counted.length * 2);
      larger.set(this.#counted);
      this.#counted = larger;
    }
    this.#counted[this.#countedLength] = code;
    this.#countedLength += 1;
  }

  #reserve(limit: number): void {
    if (limit <= this.#counts.length) return;
    const counts = new Uint32Array(Math.max(limit, Math.ceil(this.#counts.length * 1.5)));
    counts.set(this.#counts);
    this.#counts = counts;
  }
}

/** The loops are apart so that each sees one shape of selection. */
function countDense({ codes, via }: CodesOfRows, { rows, count, isAll }: RowSelection, counts: Uint32Array): void {
  if (via !== undefined) countVia({ codes, via }, { rows, count, isAll }, counts);
  else if (isAll) countAll(codes, count, counts);
  else countRows(codes, rows, count, counts);
}

function countAll(codes: CodeArray, count: number, counts: Uint32Array): void {
  for (let row = 0; row < count; row += 1) {
    const code = codes[row] ?? 0;
    counts[code] = (counts[code] ?? 0) + 1;
  }
}

function countRows(codes: CodeArray, rows: Uint32Array, count: number, counts: Uint32Array): void {
  for (let at = 0; at < count; at += 1) {
    const code = codes[rows[at] ?? 0] ?? 0;
    counts[code] = (counts[code] ?? 0) + 1;
  }
}

function countVia(
  { codes, via }: Required<CodesOfRows>,
  { rows, count, isAll }: RowSelection,
  counts: Uint32Array,
): void {
  for (let at = 0; at < count; at += 1) {
    const code = via[codes[isAll ? at : (rows[at] ?? 0)] ?? 0] ?? 0;
    counts[code] = (counts[code] ?? 0) + 1;
  }
}
