// SPDX-License-Identifier: Apache-2.0
import type { OrderedTables } from "../cells/ordered-tables.ts";
import type { ScannedNumbers, ScannedRows } from "../scan/scanned-rows.ts";
import type { ClusterTexts } from "../table/cluster-texts.ts";
import type { KindTable, ReadableIds } from "../table/kind-table.ts";
import { JoinedIds, JoinedTimes } from "./joined-column.ts";

type IdColumnName = "namespaces" | "names" | "statuses" | "reasons" | "messages" | "labels" | "annotations" | "owners";

/** A column, and the version of the rows that it has. */
interface JoinedColumn<Column, Values> {
  readonly column: Column;
  version: number;
  values: Values | undefined;
}

/**
 * The rows of all tables of a cluster, one table after the other, in key order of the tables: a query over many kinds
 * reads memory in order instead of opening each table. Columns are copied when they are first read after a change, a
 * microsecond for each thousand rows, and take as much memory as in the tables.
 *
 * A kind's own columns are not part of it: use it only for filters that find none in any of the tables.
 */
export class JoinedRows implements ScannedRows {
  #ordered: OrderedTables;
  #texts: ClusterTexts;
  #counts: readonly number[] = [];
  #version = 0;
  #starts = new Uint32Array(0);
  readonly #ids = new Map<IdColumnName, JoinedColumn<JoinedIds, ReadableIds>>();
  readonly #times: JoinedColumn<JoinedTimes, ScannedNumbers> = {
    column: new JoinedTimes(),
    version: 0,
    values: undefined,
  };

  constructor(ordered: OrderedTables, texts: ClusterTexts) {
    this.#ordered = ordered;
    this.#texts = texts;
    this.#open(ordered, texts);
  }

  /** Follows changes. `ordered` is another object after each of them. */
  refresh(ordered: OrderedTables, texts: ClusterTexts): void {
    if (ordered !== this.#ordered || texts !== this.#texts) this.#open(ordered, texts);
  }

  get count(): number {
    return this.#ordered.rowCount;
  }

  /** The rows of the table with number `at` are those from `starts[at]` to `starts[at + 1]`. */
  get starts(): Uint32Array {
    return this.#starts;
  }

  get namespaces(): ReadableIds {
    return this.#join("namespaces", this.#texts.namespaceCount);
  }

  get names(): ReadableIds {
    return this.#join("names", this.#texts.texts.count);
  }

  get statuses(): ReadableIds {
    return this.#join("statuses", 0);
  }

  get reasons(): ReadableIds {
    return this.#join("reasons", this.#texts.texts.count);
  }

  get messages(): ReadableIds {
    return this.#join("messages", this.#texts.texts.count);
  }

  get labels(): ReadableIds {
    return this.#join("labels", this.#texts.maps.count);
  }

  get annotations(): ReadableIds {
    return this.#join("annotations", this.#texts.maps.count);
  }

  get owners(): ReadableIds {
    return this.#join("owners", this.#texts.owners.count);
  }

  get creationTimes(): ScannedNumbers {
    const times = this.#times;
    if (times.values === undefined || times.version !== this.#version) {
      const parts = this.#ordered.tables.map(({ creationTimes }) => creationTimes);
      times.values = times.column.join(parts, this.#counts);
      times.version = this.#version;
    }
    return times.values;
  }

  statusCount(rank: number): number {
    return this.#ordered.tables.reduce((sum, table) => sum + table.statusCount(rank), 0);
  }

  column(): undefined {
    return undefined;
  }

  uidOf(row: number): string {
    const { table, start } = this.#tableOf(row);
    return table?.uidOf(row - start) ?? "";
  }

  findUid(uid: string): number {
    for (const [at, table] of this.#ordered.tables.entries()) {
      const row = table.findUid(uid);
      if (row !== -1) return (this.#starts[at] ?? 0) + row;
    }
    return -1;
  }

  #open(ordered: OrderedTables, texts: ClusterTexts): void {
    this.#ordered = ordered;
    this.#texts = texts;
    this.#counts = ordered.tables.map(({ count }) => count);
    this.#version += 1;
    if (this.#starts.length !== this.#counts.length + 1) this.#starts = new Uint32Array(this.#counts.length + 1);
    for (const [at, count] of this.#counts.entries()) this.#starts[at + 1] = (this.#starts[at] ?? 0) + count;
  }

  #join(name: IdColumnName, greatest: number): ReadableIds {
    const known = this.#ids.get(name) ?? { column: new JoinedIds(), version: 0, values: undefined };
    if (known.values !== undefined && known.version === this.#version) return known.values;
    const parts = this.#ordered.tables.map((table) => table[name]);
    const values = known.column.join(parts, this.#counts, greatest);
    this.#ids.set(name, { column: known.column, version: this.#version, values });
    return values;
  }

  #tableOf(row: number): { readonly table: KindTable | undefined; readonly start: number } {
    let at = 0;
    while ((this.#starts[at + 1] ?? Number.POSITIVE_INFINITY) <= row) at += 1;
    return { table: this.#ordered.tables[at], start: this.#starts[at] ?? 0 };
  }
}

/** By the tables of a cluster. They go with it. */
const known = new WeakMap<ReadonlyMap<string, KindTable>, JoinedRows>();

/** The rows of a cluster at this moment. Borrowed until rows change. `ordered` are the tables of `tables`. */
export function joinRows(
  tables: ReadonlyMap<string, KindTable>,
  ordered: OrderedTables,
  texts: ClusterTexts,
): JoinedRows {
  const joined = known.get(tables) ?? new JoinedRows(ordered, texts);
  known.set(tables, joined);
  joined.refresh(ordered, texts);
  return joined;
}
