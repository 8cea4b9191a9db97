// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import type { Visibility } from "../../rbac/visibility.ts";
import { visibleRowsOf } from "../scan/kept-visible-rows.ts";
import type { ClusterTexts } from "../table/cluster-texts.ts";
import type { KindTable } from "../table/kind-table.ts";
import { ClusterCells, type VisibleTable } from "./cluster-cells.ts";
import { countTable, type TableCells } from "./table-cells.ts";

/** The tables of a cluster in key order, and what a user sees of each. */
export interface ViewedCluster {
  readonly texts: ClusterTexts;
  readonly tables: readonly KindTable[];
  readonly visibilities: readonly Visibility[];
}

/** The work of a query: counting stops for now when its slice is full. */
export interface CellWork {
  readonly isSliceFull: boolean;
  touch(rowCount: number): void;
}

/** One table as it was counted. */
interface CountedTable {
  readonly table: KindTable;
  readonly version: number;
  /** Undefined once they are part of the cluster's cells. */
  readonly cells: TableCells | undefined;
}

/** The cells of one cluster for the users who see the same of it. They follow its rows: only changed tables are counted. */
export class KeptCells {
  #texts: ClusterTexts | undefined;
  #visibilities: readonly Visibility[] = [];
  #counted: (CountedTable | undefined)[] = [];
  #cells: ClusterCells | undefined;
  #rowsVersion = -1;

  get sizeBytes(): number {
    return this.#cells?.sizeBytes ?? 0;
  }

  /** The present cells; undefined if the slice was full before all tables were counted. */
  refresh({ texts, tables, visibilities }: ViewedCluster, work: CellWork): ClusterCells | undefined {
    const isSame = this.#texts === texts && isSameView(this.#visibilities, visibilities);
    if (this.#cells !== undefined && isSame && this.#rowsVersion === texts.rowsVersion) return this.#cells;
    if (!isSame) this.#restart(texts, visibilities);
    for (const [at, table] of tables.entries()) {
      if (isCurrent(this.#counted[at], table)) continue;
      if (work.isSliceFull) return undefined;
      work.touch(table.count);
      const cells = countTable(table, visibleIn(table, visibilities[at]));
      this.#counted[at] = { table, version: table.version, cells };
    }
    this.#join(texts);
    return this.#cells;
  }

  /** Takes up new cells. Without any, the cells stay. */
  #join(texts: ClusterTexts): void {
    const before = this.#cells;
    this.#rowsVersion = texts.rowsVersion;
    if (before !== undefined && this.#counted.every((counted) => counted?.cells === undefined)) return;
    const parts = this.#counted.flatMap((counted, at) => counted?.cells ?? before?.partOf(at) ?? []);
    this.#cells = new ClusterCells(parts, texts.namespaceCount);
    this.#counted = this.#counted.map((counted) => counted && { ...counted, cells: undefined });
  }

  #restart(texts: ClusterTexts, visibilities: readonly Visibility[]): void {
    this.#texts = texts;
    this.#visibilities = visibilities;
    this.#cells = undefined;
    this.#counted = visibilities.map(() => undefined);
  }
}

function isCurrent(counted: CountedTable | undefined, table: KindTable): boolean {
  return counted?.table === table && counted.version === table.version;
}

/** Visibilities are immutable, and one object is used for all who see the same. */
function isSameView(known: readonly Visibility[], visibilities: readonly Visibility[]): boolean {
  if (known.length !== visibilities.length) return false;
  for (let at = 0; at < known.length; at += 1) {
    const [a, b] = [known[at], visibilities[at]];
    if (a !== b && (a?.kind === "some" || a?.kind !== b?.kind)) return false;
  }
  return true;
}

/** The visible rows of a table; undefined for every row. */
function visibleIn(table: KindTable, visibility: Visibility | undefined): Uint32Array | undefined {
  if (visibility?.kind === "some") return visibleRowsOf(table, visibility);
  return visibility?.kind === "all" ? undefined : noRows;
}

const noRows = new Uint32Array(0);

/** A table by its number, with the rows of it that the user sees. */
export function visibleTable({ tables, visibilities }: ViewedCluster, at: number): VisibleTable {
  const table = tables[at];
  if (table === undefined) throw new FlotillaError("INTERNAL", `there is no table ${at}`);
  return { table, rows: visibleIn(table, visibilities[at]) };
}
