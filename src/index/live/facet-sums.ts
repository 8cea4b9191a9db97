// SPDX-License-Identifier: Apache-2.0
import type { Row } from "../../model/rows/row.ts";
import type { FieldRef } from "../language/field-ref.ts";
import type { TableView } from "../query/field-source.ts";
import type { FacetAnswer } from "../query/query-request.ts";
import type { RowSelection } from "../query/row-selection.ts";
import { createRowValueReader, type RowValue } from "../query/row-value.ts";
import { topValues } from "../query/top-values.ts";
import type { RowContext } from "../scan/row-test.ts";
import { fromUnsigned, toUnsigned, ValueCounter } from "./value-counter.ts";

/**
 * The counts of one table, for all facets in order, as `ValueCounter.count` appends them: what `FacetSums.subtract`
 * takes back.
 */
export type FacetPart = readonly number[];

/**
 * One value of one row, counted once more or less: twice the facet, and one for less, plus 16 times 0 for no value or
 * the id plus one. There are at most 8 facets and 100,000 values.
 */
export type FacetStep = number;

const numbersPerCode = 16;

function toStep(facet: number, code: number, sign: 1 | -1): FacetStep {
  return code * numbersPerCode + facet * 2 + (sign === 1 ? 0 : 1);
}

/** What a counter costs besides its values, and a value besides its text. */
const [counterBytes, bytesPerValue] = [3_200, 60];

/** The facets of a live view: sums of the counts of its tables. */
export class FacetSums {
  readonly #refs: readonly FieldRef[];
  /** Whether rows can be counted one by one. */
  readonly canStep: boolean;
  readonly #counters: readonly ValueCounter[];
  readonly #readers: readonly ReturnType<typeof createRowValueReader>[];
  /** By facet, then by the id of the value. */
  readonly #counts: Uint32Array[];
  readonly #noneCounts: number[];
  /** The answers that are still true. */
  readonly #answers: (FacetAnswer | undefined)[];

  constructor(refs: readonly FieldRef[]) {
    this.#refs = refs;
    this.#counters = refs.map((ref) => new ValueCounter(ref));
    this.#counts = refs.map(() => new Uint32Array(16));
    this.#noneCounts = refs.map(() => 0);
    this.#readers = refs.map(createRowValueReader);
    this.canStep = !this.#readers.includes(undefined);
    this.#answers = refs.map(() => undefined);
  }

  /** An estimate from above. */
  get sizeBytes(): number {
    let bytes = 0;
    for (const [at, { ids }] of this.#counters.entries())
      bytes +=
        ids.dictionary.sizeBytes + ids.count * bytesPerValue + (this.#counts[at]?.byteLength ?? 0) + counterBytes;
    return bytes;
  }

  /** Counts selected rows of a table. Throws TOO_LARGE as `ValueCounter.count`; nothing is added then. */
  add(view: TableView, selection: RowSelection): FacetPart {
    const part: number[] = [];
    for (const counter of this.#counters) counter.count(view, selection, part);
    this.#apply(part, 1);
    return part;
  }

  subtract(part: FacetPart): void {
    this.#apply(part, -1);
  }

  /**
   * Counts a row as it is, and no longer as it was. Throws TOO_LARGE as `ValueCounter.count`: the sums are then of no
   * use.
   */
  step(place: RowContext, before: Row | undefined, after: Row | undefined, note: (step: FacetStep) => void): void {
    for (const [at, read] of this.#readers.entries()) {
      const old = before === undefined ? undefined : read?.(before, place);
      const value = after === undefined ? undefined : read?.(after, place);
      if (before !== undefined && after !== undefined && old === value) continue;
      if (before !== undefined) this.#stepValue(at, old, -1, note);
      if (after !== undefined) this.#stepValue(at, value, 1, note);
    }
  }

  /** The part of a table with the steps since. Values may be in any order afterwards. */
  join(part: FacetPart, steps: readonly FacetStep[]): FacetPart {
    const joined: number[] = [];
    const [codes, counts]: [number[], number[]] = [[], []];
    let place = 0;
    for (let facet = 0; facet < this.#refs.length; facet += 1) {
      codes.length = 0;
      counts.length = 0;
      place = readCounts(part, place, (code, count) => {
        codes.push(code);
        counts.push(count);
      });
      for (const step of steps) {
        const rest = step % numbersPerCode;
        if (rest >> 1 !== facet) continue;
        const code = (step - rest) / numbersPerCode;
        // A table has few values, and most steps are of one that it has.
        const known = codes.indexOf(code);
        const at = known === -1 ? codes.push(code) - 1 : known;
        counts[at] = (counts[at] ?? 0) + (rest % 2 === 0 ? 1 : -1);
      }
      appendCounts(codes, counts, joined);
    }
    return joined;
  }

  /** Called before rows may change. */
  release(): void {
    for (const counter of this.#counters) counter.release();
  }

  /** The answer of a facet is the same object while its counts stay. */
  answer(): readonly FacetAnswer[] {
    return this.#refs.map((ref, at) => {
      const answer = this.#answers[at] ?? this.#answerOf(ref, at);
      this.#answers[at] = answer;
      return answer;
    });
  }

  #answerOf(ref: FieldRef, at: number): FacetAnswer {
    const [counter, counts] = [this.#counters[at], this.#counts[at]];
    const noneCount = this.#noneCounts[at] ?? 0;
    if (counter === undefined || counts === undefined) return { ref, values: [], otherCount: 0, noneCount };
    return { ref, ...topValues(counter.ids.dictionary, counts), noneCount };
  }

  #apply(part: FacetPart, sign: 1 | -1): void {
    for (const [at, counter] of this.#counters.entries()) this.#reserve(at, counter.ids.count);
    let place = 0;
    for (let facet = 0; facet < this.#refs.length; facet += 1)
      place = readCounts(part, place, (code, count) => this.#addTo(facet, code, sign * count));
  }

  #stepValue(facet: number, value: RowValue, sign: 1 | -1, note: (step: FacetStep) => void): void {
    const ids = this.#counters[facet]?.idsOf(value) ?? [];
    if (ids.length === 0) {
      this.#addTo(facet, 0, sign);
      note(toStep(facet, 0, sign));
    }
    for (const id of ids) {
      this.#reserve(facet, id + 1);
      this.#addTo(facet, id + 1, sign);
      note(toStep(facet, id + 1, sign));
    }
  }

  /** `code` is 0 for no value, or the id plus one. There is room for it. */
  #addTo(facet: number, code: number, count: number): void {
    this.#answers[facet] = undefined;
    const counts = this.#counts[facet];
    if (code === 0 || counts === undefined) this.#noneCounts[facet] = (this.#noneCounts[facet] ?? 0) + count;
    else counts[code - 1] = (counts[code - 1] ?? 0) + count;
  }

  #reserve(at: number, count: number): void {
    const counts = this.#counts[at] ?? new Uint32Array(0);
    if (count <= counts.length) return;
    const larger = new Uint32Array(Math.max(count, counts.length * 2));
    larger.set(counts);
    this.#counts[at] = larger;
  }
}

/** The counts of the facet at a place. `code` is 0 for no value, or the id plus one. Returns the place of the next facet. */
function readCounts(part: FacetPart, start: number, each: (code: number, count: number) => void): number {
  if (start >= part.length) return start;
  each(0, part[start] ?? 0);
  const end = start + 2 + (part[start + 1] ?? 0) * 2;
  let id = 0;
  for (let place = start + 2; place < end; place += 2) {
    id += fromUnsigned(part[place] ?? 0);
    each(id + 1, part[place + 1] ?? 0);
  }
  return end;
}

/** The inverse of `readCounts`, for codes in any order. Counts of 0 are left out. */
function appendCounts(codes: readonly number[], counts: readonly number[], part: number[]): void {
  const headAt = part.push(0, 0) - 2;
  let [last, valueCount] = [0, 0];
  for (const [at, code] of codes.entries()) {
    const count = counts[at] ?? 0;
    if (code === 0) part[headAt] = count;
    if (code === 0 || count === 0) continue;
    part.push(toUnsigned(code - 1 - last), count);
    last = code - 1;
    valueCount += 1;
  }
  part[headAt + 1] = valueCount;
}
