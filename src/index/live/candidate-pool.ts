// SPDX-License-Identifier: Apache-2.0
import { assert } from "../../base/assert.ts";
import type { RowHash } from "../../model/rows/row.ts";
import { compareUtf8 } from "../../model/text.ts";
import type { ObjectState } from "../fold/table-delta.ts";
import type { SortField } from "../language/field-ref.ts";
import type { TableView } from "../query/field-source.ts";
import type { SortScalar } from "../query/query-request.ts";
import { RowField } from "../query/row-field.ts";
import { createPositionTest, createRowOrder } from "../query/row-order.ts";
import { type RowSelection, selectTop } from "../query/row-selection.ts";
import { createSortReader } from "../query/row-value.ts";
import { openSortColumn, type SortColumn } from "../query/sort-column.ts";
import { compareKeys, createKeyReader, type ValueKey } from "../query/sort-scalar.ts";
import { compareQueryKeys, keyOfRow } from "../query/table-keys.ts";
import type { RowContext } from "../scan/row-test.ts";
import type { LiveEntry, LivePage } from "./live-page.ts";

/** A row in the order of a view. */
interface OrderedRow {
  readonly values: readonly SortScalar[];
  readonly valueKeys: readonly (ValueKey | undefined)[];
  readonly entry: LiveEntry;
}

/** A row that is on the page of a live view, or follows it closely. */
interface Candidate extends OrderedRow {
  /** The number of its table. */
  readonly slot: number;
}

/** An estimate: the key's own texts, the values, and the objects around them. */
const bytesPerCandidate = 400;

/** Rows beyond the page: as many as on it, for most pages. */
function defaultSpareRows(limit: number): number {
  return Math.min(limit, 100) + 16;
}

/**
 * The first rows of a live view, and some that follow. All rows of all tables up to the boundary are in it, so a table
 * that changes is read alone: its candidates are removed, and its rows up to the boundary are added. If the rows that
 * changed are known, only they are removed and added.
 */
export class CandidatePool {
  readonly #limit: number;
  readonly #capacity: number;
  readonly #sort: readonly SortField[];
  readonly #fields: readonly RowField[];
  readonly #keyReaders: readonly ((value: SortScalar) => ValueKey | undefined)[];
  readonly #readers: readonly ReturnType<typeof createSortReader>[];
  /** Whether rows can be added and removed one by one. */
  readonly canStep: boolean;
  /** In order, at most `capacity`. */
  #best: Candidate[] = [];
  /** The page; undefined after a change. */
  #page: LivePage | undefined;
  /** Candidates that are not merged yet, in no order. One merge for many tables costs as much as one for a table. */
  #added: Candidate[] = [];
  /** By table, the entries of candidates that were removed. Most rows of a table that changed are the same. */
  readonly #removed = new Map<number, Map<RowHash, LiveEntry>>();
  /** The last row that was kept when others had to be dropped; undefined if there are no others. */
  #boundary: Candidate | undefined;

  constructor(limit: number, sort: readonly SortField[], spareRows = defaultSpareRows(limit)) {
    this.#limit = limit;
    this.#capacity = limit + spareRows;
    this.#sort = sort.map(toStableField);
    this.#fields = this.#sort.map(({ ref }) => new RowField(ref));
    this.#keyReaders = this.#sort.map(({ ref }) => createKeyReader(ref));
    this.#readers = this.#sort.map(({ ref }) => createSortReader(ref));
    this.canStep = !this.#readers.includes(undefined);
  }

  get sizeBytes(): number {
    return (this.#best.length + this.#added.length) * bytesPerCandidate;
  }

  /** True if rows beyond the boundary are on the page: all tables have to be added again, after `clear`. */
  get isShort(): boolean {
    this.#merge();
    return this.#boundary !== undefined && this.#best.length < this.#limit;
  }

  /** True if no row of later tables is needed, provided that tables are added in key order and that is the order. */
  get isFilled(): boolean {
    if (this.#sort.length > 0) return false;
    this.#merge();
    return this.#boundary !== undefined;
  }

  clear(): void {
    this.#page = undefined;
    this.#best = [];
    this.#added = [];
    this.#boundary = undefined;
  }

  /** Removes the candidates of tables, which are about to be added again. The boundary stays. */
  remove(slots: ReadonlySet<number>): void {
    if (slots.size === 0) return;
    this.#merge();
    this.#page = undefined;
    const kept: Candidate[] = [];
    for (const candidate of this.#best) {
      if (slots.has(candidate.slot)) this.#noteRemoved(candidate);
      else kept.push(candidate);
    }
    this.#best = kept;
  }

  /** Adds the selected rows of a table up to the boundary. The table has no candidates yet. */
  add(slot: number, view: TableView, selection: RowSelection): void {
    if (this.#limit === 0) return;
    const columns = this.#sort.map((sort, at) =>
      openSortColumn(sort, this.#fields[at] ?? new RowField(sort.ref), view),
    );
    const boundary = this.#boundary;
    const test =
      boundary === undefined
        ? undefined
        : createPositionTest(view, columns, { values: boundary.values, key: boundary.entry.key });
    if (test?.always === true) return;
    const top = selectTop(
      selection,
      this.#capacity + 1,
      createRowOrder(view, columns),
      (row) => test?.isAfter(row) === true,
    );
    for (const row of top) this.#added.push(this.#candidate(slot, view, columns, row));
    if (this.#added.length >= this.#capacity) this.#merge();
  }

  /** Adds a selected row of a table, which must not have it yet. */
  addRow(slot: number, place: RowContext, state: ObjectState): void {
    if (this.#limit === 0) return;
    this.#merge();
    if (this.#isBeyond(place, state)) return;
    const row = this.#orderedRow(place, state);
    this.#best.splice(this.#placeOf(row), 0, { slot, ...row });
    this.#page = undefined;
    if (this.#best.length <= this.#capacity) return;
    this.#best.pop();
    this.#boundary = this.#best.at(-1);
  }

  /** Removes a row that was selected, as it was then. */
  removeRow(place: RowContext, state: ObjectState): void {
    if (this.#limit === 0) return;
    this.#merge();
    if (this.#isBeyond(place, state)) return;
    const row = this.#orderedRow(place, state);
    const at = this.#placeOf(row);
    const found = this.#best[at];
    assert(found !== undefined && this.#compare(found, row) === 0, "all rows up to the boundary are candidates");
    this.#best.splice(at, 1);
    this.#page = undefined;
  }

  /** Called before rows may change. */
  release(): void {
    for (const field of this.#fields) field.release();
  }

  /** Called after all tables were added. */
  page(): LivePage {
    this.#merge();
    this.#removed.clear();
    this.#page ??= this.#best.slice(0, this.#limit).map(({ entry }) => entry);
    return this.#page;
  }

  #orderedRow(place: RowContext, { row, troubledSinceMs }: ObjectState): OrderedRow {
    const { namespace, name, rowHash } = row;
    const values = this.#readers.map((read) => read?.(row, place));
    const valueKeys = values.map((value, at) => this.#keyReaders[at]?.(value));
    const key = { cluster: place.fields.cluster, resource: place.resource, namespace, name };
    return { values, valueKeys, entry: { key, rowHash, troubledSinceMs } };
  }

  /** Whether a row comes after the boundary. Most rows do, so nothing is made for them that the answer does not need. */
  #isBeyond(place: RowContext, { row }: ObjectState): boolean {
    const boundary = this.#boundary;
    if (boundary === undefined) return false;
    for (let at = 0; at < this.#sort.length; at += 1) {
      const sort = this.#sort[at];
      const value = this.#readers[at]?.(row, place);
      const order = sort === undefined ? 0 : compareKeys(sort, this.#keyReaders[at]?.(value), boundary.valueKeys[at]);
      if (order !== 0) return order > 0;
    }
    const { key } = boundary.entry;
    const order = compareUtf8(place.fields.cluster, key.cluster) || compareUtf8(place.resource, key.resource);
    return (order || compareUtf8(row.namespace, key.namespace) || compareUtf8(row.name, key.name)) > 0;
  }

  /** The number of candidates before a row. */
  #placeOf(row: OrderedRow): number {
    let [low, high] = [0, this.#best.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const candidate = this.#best[middle];
      if (candidate !== undefined && this.#compare(candidate, row) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #candidate(slot: number, view: TableView, columns: readonly SortColumn[], row: number): Candidate {
    const values = columns.map((column) => column.valueOf(row));
    const valueKeys = values.map((value, at) => this.#keyReaders[at]?.(value));
    return { slot, values, valueKeys, entry: this.#entry(slot, view, row) };
  }

  #entry(slot: number, view: TableView, row: number): LiveEntry {
    const { table } = view;
    const rowHash = table.rowHash(row);
    const troubledSinceMs = table.troubledSinceMs(row);
    // The hash covers the key.
    const known = this.#removed.get(slot)?.get(rowHash);
    if (known !== undefined && known.troubledSinceMs === troubledSinceMs) return known;
    return { key: keyOfRow(view, row), rowHash, troubledSinceMs };
  }

  #noteRemoved({ slot, entry }: Candidate): void {
    const entries = this.#removed.get(slot) ?? new Map<RowHash, LiveEntry>();
    this.#removed.set(slot, entries.set(entry.rowHash, entry));
  }

  #merge(): void {
    if (this.#added.length === 0) return;
    this.#page = undefined;
    const added = this.#added.sort((a, b) => this.#compare(a, b));
    this.#added = [];
    const merged: Candidate[] = [];
    let [oldAt, newAt] = [0, 0];
    while (merged.length < this.#capacity) {
      const [old, next] = [this.#best[oldAt], added[newAt]];
      const isOld = old !== undefined && (next === undefined || this.#compare(old, next) <= 0);
      const chosen = isOld ? old : next;
      if (chosen === undefined) break;
      merged.push(chosen);
      if (isOld) oldAt += 1;
      else newAt += 1;
    }
    if (oldAt < this.#best.length || newAt < added.length) this.#boundary = merged.at(-1);
    this.#best = merged;
  }

  #compare(a: OrderedRow, b: OrderedRow): number {
    for (const [at, sort] of this.#sort.entries()) {
      const order = compareKeys(sort, a.valueKeys[at], b.valueKeys[at]);
      if (order !== 0) return order;
    }
    return compareQueryKeys(a.entry.key, b.entry.key);
  }
}

/** Ages grow, times of creation do not, and their order is the opposite. */
function toStableField({ ref, isDescending }: SortField): SortField {
  if (ref.field !== "age") return { ref, isDescending };
  return { ref: { field: "created", name: "" }, isDescending: !isDescending };
}
