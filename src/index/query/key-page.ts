// SPDX-License-Identifier: Apache-2.0
import type { KindTable } from "../table/kind-table.ts";
import { readRow } from "../table/read-row.ts";
import type { TableView } from "./field-source.ts";
import type { FilledPage, QueryPage } from "./query-page.ts";
import type { FoundRow, QueryKey } from "./query-request.ts";
import { type RowSelection, selectTop } from "./row-selection.ts";
import { comparePlace, compareWithin, createKeyComparer } from "./table-keys.ts";

/** A selection of less than one row in this many is sorted by itself; a larger one is read off the table's order. */
const sparseFactor = 8;

/** A page in key order. Tables must come in key order: reading ends with the first table that fills the page. */
export class KeyPage implements QueryPage {
  readonly #limit: number;
  readonly #after: QueryKey | undefined;
  readonly #rows: FoundRow[] = [];
  #hasMore = false;
  #isSelected = new Uint8Array(0);

  constructor(limit: number, after: QueryKey | undefined) {
    this.#limit = limit;
    this.#after = after;
  }

  get isOpen(): boolean {
    return this.#limit > 0 && !this.#hasMore;
  }

  wants(view: TableView): boolean {
    if (!this.isOpen) return false;
    return this.#after === undefined || comparePlace(view, this.#after) >= 0;
  }

  add(view: TableView, selection: RowSelection): void {
    const most = this.#limit - this.#rows.length + 1;
    const after = this.#after !== undefined && comparePlace(view, this.#after) === 0 ? this.#after : undefined;
    const isSparse = !selection.isAll && selection.count * sparseFactor < view.table.count;
    const found = isSparse
      ? selectTop(
          selection,
          most,
          createKeyComparer(view.table),
          (row) => after !== undefined && compareWithin(view, row, after) <= 0,
        )
      : this.#walk(view, selection, most, after);
    for (const row of found) {
      if (this.#rows.length === this.#limit) {
        this.#hasMore = true;
        return;
      }
      this.#rows.push({ cluster: view.fields.cluster, resource: view.resource, row: readRow(view.table, row) });
    }
  }

  settle(): void {
    // Rows are read when they are added.
  }

  fill(): FilledPage {
    const last = this.#rows.at(-1);
    if (!this.#hasMore || last === undefined) return { rows: this.#rows, next: undefined };
    const { cluster, resource, row } = last;
    return {
      rows: this.#rows,
      next: { values: [], key: { cluster, resource, namespace: row.namespace, name: row.name } },
    };
  }

  /** The first rows of the table's order that are selected. */
  #walk(view: TableView, selection: RowSelection, most: number, after: QueryKey | undefined): readonly number[] {
    const { table } = view;
    const order = table.order();
    if (!selection.isAll) this.#mark(table, selection);
    const found: number[] = [];
    for (let at = after === undefined ? 0 : firstAfter(view, order, after); at < order.length; at += 1) {
      const row = order[at] ?? 0;
      if (!selection.isAll && this.#isSelected[row] !== 1) continue;
      found.push(row);
      if (found.length === most) break;
    }
    return found;
  }

  #mark({ count }: KindTable, selection: RowSelection): void {
    if (this.#isSelected.length < count) this.#isSelected = new Uint8Array(count * 2);
    else this.#isSelected.fill(0, 0, count);
    for (let at = 0; at < selection.count; at += 1) this.#isSelected[selection.rows[at] ?? 0] = 1;
  }
}

/** The place in the order of the first row after the key. */
function firstAfter(view: TableView, order: Uint32Array, key: QueryKey): number {
  let [low, high] = [0, order.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareWithin(view, order[middle] ?? 0, key) > 0) high = middle;
    else low = middle + 1;
  }
  return low;
}
