// SPDX-License-Identifier: Apache-2.0
import type { FieldRef } from "../language/field-ref.ts";
import type { TableView } from "../query/field-source.ts";
import type { FacetAnswer } from "../query/query-request.ts";
import type { RowSelection } from "../query/row-selection.ts";
import { topValues } from "../query/top-values.ts";
import { fromUnsigned, ValueCounter } from "./value-counter.ts";

/** The counts of one table, for all facets in order: what `FacetSums.subtract` takes back. */
export type FacetPart = readonly number[];

/** What a counter costs besides its values, and a value besides its text. */
const [counterBytes, bytesPerValue] = [3_200, 60];

/** The facets of a live view: sums of the counts of its tables. */
export class FacetSums {
  readonly #refs: readonly FieldRef[];
  readonly #counters: readonly ValueCounter[];
  /** By facet, then by the id of the value. */
  readonly #counts: Uint32Array[];
  readonly #noneCounts: number[];

  constructor(refs: readonly FieldRef[]) {
    this.#refs = refs;
    this.#counters = refs.map((ref) => new ValueCounter(ref));
    this.#counts = refs.map(() => new Uint32Array(16));
    this.#noneCounts = refs.map(() => 0);
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

  /** Called before rows may change. */
  release(): void {
    for (const counter of this.#counters) counter.release();
  }

  answer(): readonly FacetAnswer[] {
    return this.#refs.map((ref, at) => {
      const [counter, counts] = [this.#counters[at], this.#counts[at]];
      const noneCount = this.#noneCounts[at] ?? 0;
      if (counter === undefined || counts === undefined) return { ref, values: [], otherCount: 0, noneCount };
      return { ref, ...topValues(counter.ids.dictionary, counts), noneCount };
    });
  }

  #apply(part: FacetPart, sign: 1 | -1): void {
    let place = 0;
    for (const [at, counter] of this.#counters.entries()) {
      const counts = this.#reserve(at, counter.ids.count);
      this.#noneCounts[at] = (this.#noneCounts[at] ?? 0) + sign * (part[place] ?? 0);
      const end = place + 2 + (part[place + 1] ?? 0) * 2;
      let id = 0;
      for (place += 2; place < end; place += 2) {
        id += fromUnsigned(part[place] ?? 0);
        counts[id] = (counts[id] ?? 0) + sign * (part[place + 1] ?? 0);
      }
    }
  }

  #reserve(at: number, count: number): Uint32Array {
    const counts = this.#counts[at] ?? new Uint32Array(0);
    if (count <= counts.length) return counts;
    const larger = new Uint32Array(Math.max(count, counts.length * 2));
    larger.set(counts);
    this.#counts[at] = larger;
    return larger;
  }
}
