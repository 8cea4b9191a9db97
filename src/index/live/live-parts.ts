// SPDX-License-Identifier: Apache-2.0
import { isVisible, noneVisible, type Visibility } from "../../rbac/visibility.ts";
import type { ObjectState } from "../fold/table-delta.ts";
import type { TableView } from "../query/field-source.ts";
import type { RowSelector } from "../query/row-selector.ts";
import { createRowTest, type RowContext, type RowTest } from "../scan/row-test.ts";
import { agesIn, nextAgeChange, nextAgeChangeOf } from "./age-changes.ts";
import { CandidatePool } from "./candidate-pool.ts";
import { FacetParts } from "./facet-parts.ts";
import type { LoggedChanges } from "./live-log.ts";
import type { LiveState } from "./live-page.ts";
import type { LiveQuestion } from "./live-request.ts";

/** What a table takes besides its counts: a visibility, and the version at which it was read. */
const [visibilityBytes, readVersionBytes] = [8, 40];

/**
 * The answer of a live view as a sum over tables. A table that is read again is taken back first; of a table whose
 * changes are known, only the rows that changed are. Tables are named by the numbers of their slots.
 */
export class LiveParts {
  readonly pool: CandidatePool;
  /** Whether known changes can be applied. Otherwise every table that changed has to be read. */
  readonly canStep: boolean;
  readonly #facets: FacetParts;
  readonly #ages: readonly number[];
  readonly #test: RowTest;
  #counts = new Uint32Array(0);
  /** Under which a table was read. The same holds for its changes, so that they are exact. */
  readonly #visibilities: (Visibility | undefined)[] = [];
  /** When the rows of a table change by their age alone. Empty for a query without ages. */
  #ageChanges = new Float64Array(0);
  /** The least of them; undefined after one changed. */
  #nextAgeMs: number | undefined;
  #total = 0;
  /** The versions of tables that were read since the last refresh began, or in it. Changes up to them are in the part. */
  #readVersions = new Map<number, number>();

  constructor({ filter, limit, sort, facets }: LiveQuestion, spareRows?: number) {
    this.pool = new CandidatePool(limit, sort, spareRows);
    this.#facets = new FacetParts(facets);
    this.#ages = agesIn(filter);
    this.#test = createRowTest(filter);
    this.canStep = this.#facets.canStep && this.pool.canStep;
  }

  /** The bytes of the parts, without those of values that no part has any more. */
  get partBytes(): number {
    const tableBytes = this.#visibilities.length * visibilityBytes + this.#readVersions.size * readVersionBytes;
    const countBytes = this.#counts.byteLength + this.#ageChanges.byteLength;
    return this.#facets.partBytes + tableBytes + countBytes + this.pool.sizeBytes;
  }

  get sizeBytes(): number {
    return this.partBytes + this.#facets.valueBytes;
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
    this.#facets.reserve(counts.length);
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
    this.#visibilities[slot] = undefined;
    this.#facets.drop(slot);
    this.#total -= this.#counts[slot] ?? 0;
    this.#counts[slot] = 0;
  }

  /**
   * Reads a table that was dropped, with the grants of this moment. Throws TOO_LARGE if a facet has more values than a
   * query may hold.
   */
  read(slot: number, view: TableView, visibility: Visibility, selector: RowSelector): void {
    const { table, nowMs } = view;
    this.#visibilities[slot] = visibility;
    this.#readVersions.set(slot, table.version);
    if (table.count === 0 || visibility.kind === "none") return;
    this.#setAgeChange(slot, () => nextAgeChange(table, this.#ages, nowMs));
    const { selection } = selector.select(view, visibility, false);
    if (selection.count === 0) return;
    this.#facets.add(slot, view, selection);
    this.#counts[slot] = selection.count;
    this.#total += selection.count;
    this.pool.add(slot, view, selection);
  }

  /** The versions of tables that were read. `apply` has to leave out changes up to them. Later ones are noted anew. */
  takeReadVersions(): ReadonlyMap<number, number> {
    const versions = this.#readVersions;
    this.#readVersions = new Map();
    return versions;
  }

  /**
   * Applies changes of a table that was read, or to which the changes before were applied. Throws TOO_LARGE as `read`:
   * the parts are then of no use.
   */
  apply(entry: LoggedChanges, place: RowContext): void {
    const { slot } = entry;
    const visibility = this.#visibilities[slot] ?? noneVisible;
    if (visibility.kind === "none") return;
    for (const { before, after } of entry.changes) {
      const row = before?.row ?? after?.row;
      if (row === undefined) continue;
      // Most users see few namespaces, so this comes before the filter.
      if (visibility.kind === "some" && !isVisible(visibility, row.namespace, row.name)) continue;
      const was = before !== undefined && this.#test(before.row, place) ? before : undefined;
      const is = after !== undefined && this.#test(after.row, place) ? after : undefined;
      if (was !== undefined || is !== undefined) this.#step(slot, place, was, is);
    }
    if (this.#ages.length > 0) this.#noteAges(entry, place.nowMs);
  }

  /** Called before rows may change. */
  release(): void {
    this.#facets.release();
    this.pool.release();
  }

  state(): LiveState {
    return { page: this.pool.page(), total: this.#total, facets: this.#facets.answer() };
  }

  /** A row is selected as `after`, and no longer as `before`; undefined if it is, or was, not selected. */
  #step(slot: number, place: RowContext, before: ObjectState | undefined, after: ObjectState | undefined): void {
    if (before !== undefined) this.pool.removeRow(place, before);
    if (after !== undefined) this.pool.addRow(slot, place, after);
    const more = (after === undefined ? 0 : 1) - (before === undefined ? 0 : 1);
    this.#counts[slot] = (this.#counts[slot] ?? 0) + more;
    this.#total += more;
    this.#facets.step(slot, place, before?.row, after?.row);
  }

  /** The moments of rows that are gone stay until the table is read: that is then early, and harmless. */
  #noteAges({ slot, changes }: LoggedChanges, nowMs: number): void {
    let next = this.#ageChanges[slot] ?? Number.POSITIVE_INFINITY;
    for (const { after } of changes)
      if (after !== undefined) next = Math.min(next, nextAgeChangeOf(after.row.createdAt, this.#ages, nowMs));
    this.#setAgeChange(slot, () => next);
  }

  #setAgeChange(slot: number, find: () => number): void {
    if (this.#ages.length === 0) return;
    this.#ageChanges[slot] = find();
    this.#nextAgeMs = undefined;
  }
}
