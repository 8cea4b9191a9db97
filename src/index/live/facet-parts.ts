// SPDX-License-Identifier: Apache-2.0
import type { Row } from "../../model/rows/row.ts";
import type { FieldRef } from "../language/field-ref.ts";
import type { TableView } from "../query/field-source.ts";
import type { FacetAnswer } from "../query/query-request.ts";
import type { RowSelection } from "../query/row-selection.ts";
import type { RowContext } from "../scan/row-test.ts";
import { FacetSums } from "./facet-sums.ts";
import { PackedParts } from "./packed-parts.ts";

/** Steps that are kept before they are joined with the counts of their tables: 32 KiB of a view. */
const maxSteps = 4_096;

/**
 * The facets of a live view and what each table contributes to them: counts, and the single steps since they were
 * counted. Tables are named by the numbers of their slots.
 */
export class FacetParts {
  readonly #sums: FacetSums;
  readonly #isUsed: boolean;
  readonly #parts = new PackedParts();
  /** Steps of rows, in order, and the tables of the rows. */
  #steps = new Uint32Array(16);
  #slots = new Uint32Array(16);
  #stepCount = 0;

  constructor(refs: readonly FieldRef[]) {
    this.#sums = new FacetSums(refs);
    this.#isUsed = refs.length > 0;
  }

  /** Whether rows can be counted one by one. */
  get canStep(): boolean {
    return this.#sums.canStep;
  }

  /** The bytes of what tables contribute. */
  get partBytes(): number {
    return this.#parts.sizeBytes + this.#steps.byteLength * 2;
  }

  /** The bytes of the values of all tables, also of those that no table has any more. */
  get valueBytes(): number {
    return this.#sums.sizeBytes;
  }

  /** Makes room for this many tables. */
  reserve(slotCount: number): void {
    if (this.#isUsed) this.#parts.reserve(slotCount);
  }

  /** Counts selected rows of a table that contributes nothing. Throws TOO_LARGE as `ValueCounter.count`. */
  add(slot: number, view: TableView, selection: RowSelection): void {
    if (this.#isUsed) this.#parts.set(slot, this.#sums.add(view, selection));
  }

  /** Takes back what a table contributes. */
  drop(slot: number): void {
    if (!this.#isUsed) return;
    this.#joinSteps();
    this.#sums.subtract(this.#parts.take(slot));
  }

  /** Counts a row of a table as it is, and no longer as it was; undefined if it was, or is, not selected. */
  step(slot: number, place: RowContext, before: Row | undefined, after: Row | undefined): void {
    if (!this.#isUsed) return;
    this.#sums.step(place, before, after, (step) => this.#note(slot, step));
    if (this.#stepCount >= maxSteps) this.#joinSteps();
  }

  /** Called before rows may change. */
  release(): void {
    this.#sums.release();
  }

  answer(): readonly FacetAnswer[] {
    return this.#sums.answer();
  }

  #note(slot: number, step: number): void {
    if (this.#stepCount === this.#steps.length) {
      this.#steps = withDoubleLength(this.#steps);
      this.#slots = withDoubleLength(this.#slots);
    }
    this.#steps[this.#stepCount] = step;
    this.#slots[this.#stepCount] = slot;
    this.#stepCount += 1;
  }

  #joinSteps(): void {
    if (this.#stepCount === 0) return;
    const bySlot = new Map<number, number[]>();
    for (let at = 0; at < this.#stepCount; at += 1) {
      const [slot, step] = [this.#slots[at] ?? 0, this.#steps[at] ?? 0];
      const steps = bySlot.get(slot);
      if (steps === undefined) bySlot.set(slot, [step]);
      else steps.push(step);
    }
    this.#stepCount = 0;
    for (const [slot, steps] of bySlot) this.#parts.set(slot, this.#sums.join(this.#parts.take(slot), steps));
  }
}

function withDoubleLength(values: Uint32Array): Uint32Array<ArrayBuffer> {
  const longer = new Uint32Array(values.length * 2);
  longer.set(values);
  return longer;
}
