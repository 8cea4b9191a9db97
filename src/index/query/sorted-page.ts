// SPDX-License-Identifier: Apache-2.0
import type { SortField } from "../language/field-ref.ts";
import { readRow } from "../table/read-row.ts";
import type { TableView } from "./field-source.ts";
import type { FilledPage, QueryPage } from "./query-page.ts";
import type { FoundRow, QueryKey, QueryPosition, SortScalar } from "./query-request.ts";
import { RowField } from "./row-field.ts";
import { createPositionTest, createRowOrder } from "./row-order.ts";
import { type RowSelection, selectTop } from "./row-selection.ts";
import { openSortColumn, type SortColumn } from "./sort-column.ts";
import { compareKeys, createKeyReader, type ValueKey } from "./sort-scalar.ts";
import { compareQueryKeys, keyOfRow } from "./table-keys.ts";

/** A row that may be on the page. */
interface Candidate {
  readonly values: readonly SortScalar[];
  readonly valueKeys: readonly (ValueKey | undefined)[];
  readonly key: QueryKey;
  readonly view: TableView;
  /** Valid until `found` is set. */
  readonly row: number;
  found: FoundRow | undefined;
}

/** A page in the order of fields. Holds the best rows so far, one more than the page has; tables come in any order. */
export class SortedPage implements QueryPage {
  readonly #limit: number;
  readonly #sort: readonly SortField[];
  readonly #after: QueryPosition | undefined;
  readonly #fields: readonly RowField[];
  readonly #keyReaders: readonly ((value: SortScalar) => ValueKey | undefined)[];
  /** In order, at most `limit` and one more. */
  #best: readonly Candidate[] = [];
  #kept = new Uint32Array(0);

  constructor(limit: number, sort: readonly SortField[], after: QueryPosition | undefined) {
    this.#limit = limit;
    this.#sort = sort;
    this.#after = after;
    this.#fields = sort.map(({ ref }) => new RowField(ref));
    this.#keyReaders = sort.map(({ ref }) => createKeyReader(ref));
  }

  get isOpen(): boolean {
    return this.#limit > 0;
  }

  wants(): boolean {
    return this.isOpen;
  }

  add(view: TableView, selection: RowSelection): void {
    const columns = this.#sort.map((sort, at) =>
      openSortColumn(sort, this.#fields[at] ?? new RowField(sort.ref), view),
    );
    const worst = this.#best[this.#limit];
    const isBehind = worst === undefined ? undefined : createPositionTest(view, columns, worst);
    if (isBehind?.always === true) return;
    const isAhead = this.#after === undefined ? undefined : createPositionTest(view, columns, this.#after);
    if (isAhead?.always === false) return;
    const top = selectTop(
      worst === undefined ? selection : this.#dropAfter(worst, columns[0], selection),
      this.#limit + 1,
      createRowOrder(view, columns),
      (row) => isBehind?.isAfter(row) === true || isAhead?.isAfter(row) === false,
    );
    if (top.length > 0) this.#merge(top.map((row) => this.#candidate(view, columns, row)));
  }

  settle(): void {
    for (const candidate of this.#best) candidate.found ??= readCandidate(candidate);
    for (const field of this.#fields) field.release();
  }

  fill(): FilledPage {
    const page = this.#best.slice(0, this.#limit);
    const last = this.#best.length > this.#limit ? page.at(-1) : undefined;
    return {
      rows: page.map((candidate) => candidate.found ?? readCandidate(candidate)),
      next: last === undefined ? undefined : { values: last.values, key: last.key },
    };
  }

  /** A first pass over the first field alone: few rows are left after some tables. */
  #dropAfter(worst: Candidate, column: SortColumn | undefined, selection: RowSelection): RowSelection {
    if (column?.dropAfter === undefined) return selection;
    if (this.#kept.length < selection.count) this.#kept = new Uint32Array(Math.ceil(selection.count * 1.5));
    return { rows: this.#kept, count: column.dropAfter(worst.values[0], selection, this.#kept), isAll: false };
  }

  #candidate(view: TableView, columns: readonly SortColumn[], row: number): Candidate {
    const values = columns.map((column) => column.valueOf(row));
    const valueKeys = values.map((value, at) => this.#keyReaders[at]?.(value));
    return { values, valueKeys, key: keyOfRow(view, row), view, row, found: undefined };
  }

  /** Both are in order. */
  #merge(added: readonly Candidate[]): void {
    const merged: Candidate[] = [];
    let [oldAt, newAt] = [0, 0];
    while (merged.length <= this.#limit) {
      const [old, next] = [this.#best[oldAt], added[newAt]];
      const isOld = old !== undefined && (next === undefined || this.#compare(old, next) <= 0);
      const chosen = isOld ? old : next;
      if (chosen === undefined) break;
      merged.push(chosen);
      if (isOld) oldAt += 1;
      else newAt += 1;
    }
    this.#best = merged;
  }

  #compare(a: Candidate, b: Candidate): number {
    for (const [at, sort] of this.#sort.entries()) {
      const order = compareKeys(sort, a.valueKeys[at], b.valueKeys[at]);
      if (order !== 0) return order;
    }
    return compareQueryKeys(a.key, b.key);
  }
}

function readCandidate({ view, row }: Candidate): FoundRow {
  return { cluster: view.fields.cluster, resource: view.resource, row: readRow(view.table, row) };
}
