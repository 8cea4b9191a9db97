// SPDX-License-Identifier: Apache-2.0
import type { Visibility } from "../../rbac/visibility.ts";
import type { TableView } from "../query/field-source.ts";
import type { RowSelector } from "../query/row-selector.ts";
import { agesIn, nextAgeChange } from "./age-changes.ts";
import { CandidatePool } from "./candidate-pool.ts";
import { FacetSums } from "./facet-sums.ts";
import type { LiveState } from "./live-page.ts";
import type { LiveQuestion } from "./live-request.ts";
import { PackedParts } from "./packed-parts.ts";

/**
 * The answer of a live view as a sum over tables. A table that changed is read alone; what it contributed before is
 * taken back first. Tables are named by the numbers of their slots.
 */
export class LiveParts {
  readonly pool: CandidatePool;
  readonly #facets: FacetSums;
  readonly #hasFacets: boolean;
  readonly #ages: readonly number[];
  #counts = new Uint32Array(0);
  readonly #facetParts = new PackedParts();
  /** When the rows of a table change by their age alone. Empty for a query without ages. */
  #ageChanges = new Float64Array(0);
  /** The least of them; undefined after one changed. */
  #nextAgeMs: number | undefined;
  #total = 0;

  constructor({ filter, limit, sort, facets }: LiveQuestion, spareRows?: number) {
    this.pool = new CandidatePool(limit, sort, spareRows);
    this.#facets = new FacetSums(facets);
    this.#hasFacets = facets.length > 0;
    this.#ages = agesIn(filter);
  }

  /** The bytes of the parts, without those of values that no part has any more. */
  get partBytes(): number {
    return this.#facetParts.sizeBytes + this.#counts.byteLength + this.#ageChanges.byteLength + this.pool.sizeBytes;
  }

  get sizeBytes(): number {
    return this.partBytes + this.#facets.sizeBytes;
  }

  /** The moment at which rows change by their age alone; Infinity if they never do. */
  get nextAgeChangeMs(): number {
    if (this.#nextAgeMs !== undefined) return this.#nextAgeMs;
    let next = Number.POSITIVE_INFINITY;
    for (let slot = 0; slot < this.#ageChanges.length; slot += 1)
      next = Math.min(next, this.#ageChanges[slot] ?? Number.POSITIVE_INFINITY);
    this.#nextAgeMs = next;
    return next;
  }

  /** Makes room for this many tables. */
  reserve(slotCount: number): void {
    if (slotCount <= this.#counts.length) return;
    const counts = new Uint32Array(slotCount + 16);
    counts.set(this.#counts);
    this.#counts = counts;
    if (this.#hasFacets) this.#facetParts.reserve(counts.length);
    if (this.#ages.length === 0) return;
    const changes = new Float64Array(counts.length).fill(Number.POSITIVE_INFINITY);
    changes.set(this.#ageChanges);
    this.#ageChanges = changes;
  }

  hasRows(slot: number): boolean {
    return (this.#counts[slot] ?? 0) > 0;
  }

  /** Whether rows of a table may be selected otherwise than when it was read, because time has passed. */
  isAged(slot: number, nowMs: number): boolean {
    return (this.#ageChanges[slot] ?? Number.POSITIVE_INFINITY) <= nowMs;
  }

  /** Takes back what a table contributed, except its candidates: those are removed for several tables together. */
  drop(slot: number): void {
    this.#setAgeChange(slot, () => Number.POSITIVE_INFINITY);
    if (!this.hasRows(slot)) return;
    if (this.#hasFacets) this.#facets.subtract(this.#facetParts.take(slot));
    this.#total -= this.#counts[slot] ?? 0;
    this.#counts[slot] = 0;
  }

  /**
   * Reads a table that was dropped, with the grants of this moment. Throws TOO_LARGE if a facet has more values than a
   * query may hold.
   */
  read(slot: number, view: TableView, visibility: Visibility, selector: RowSelector): void {
    const { table, nowMs } = view;
    if (table.count === 0 || visibility.kind === "none") return;
    this.#setAgeChange(slot, () => nextAgeChange(table, this.#ages, nowMs));
    const { selection } = selector.select(view, visibility, false);
    if (selection.count === 0) return;
    if (this.#hasFacets) this.#facetParts.set(slot, this.#facets.add(view, selection));
    this.#counts[slot] = selection.count;
    this.#total += selection.count;
    this.pool.add(slot, view, selection);
  }

  /** Called before rows may change. */
  release(): void {
    this.#facets.release();
    this.pool.release();
  }

  state(): LiveState {
    return { page: this.pool.page(), total: this.#total, facets: this.#facets.answer() };
  }

  #setAgeChange(slot: number, find: () => number): void {
    if (this.#ages.length === 0) return;
    this.#ageChanges[slot] = find();
    this.#nextAgeMs = undefined;
  }
}
