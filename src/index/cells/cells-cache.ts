// SPDX-License-Identifier: Apache-2.0
import type { PartialVisibility, Visibility } from "../../rbac/visibility.ts";
import type { ClusterTexts } from "../table/cluster-texts.ts";
import type { KindTable } from "../table/kind-table.ts";
import type { ClusterCells, VisibleTable } from "./cluster-cells.ts";
import { type CellWork, KeptCells, visibleTable } from "./kept-cells.ts";
import { type LabelCells, maxTables } from "./label-cells.ts";
import type { OrderedTables } from "./ordered-tables.ts";
import { maxNamespaces, maxTableRows } from "./table-cells.ts";

/** The limit on the cells of users who see parts of clusters: some 6 bytes for each row that one of them sees. */
const maxPartialBytes = 64 * 1024 * 1024;

/** What remembering the cells of a cluster costs, however few rows it has. */
const entryBytes = 512;

/** The tables of a cluster, as a query reads them. */
export interface CountedCluster {
  readonly texts: ClusterTexts;
  /** By resource. Another map for another moment. */
  readonly tables: ReadonlyMap<string, KindTable>;
}

/** The cells of what a user sees. */
export interface FoundCells {
  readonly cells: ClusterCells;
  /** Without a partial visibility the cells are those of all rows: the caller leaves out tables that are not visible. */
  readonly isPartial: boolean;
  /** The table with this number. */
  readonly visibleTable: (at: number) => VisibleTable;
  /** Takes 10 ns a row after rows changed. */
  readonly labelCells: () => LabelCells;
}

interface CellsOfView {
  readonly byTables: WeakMap<ReadonlyMap<string, KindTable>, { readonly kept: KeptCells; bytes: number }>;
  bytes: number;
}

const everyRow: Visibility = { kind: "all" };

/** Cells that are kept over queries. Those of whole tables go with their cluster. */
class CellsCache {
  readonly #whole = new WeakMap<ReadonlyMap<string, KindTable>, KeptCells>();
  /** By the first visibility that is partial, in the order of the last use that counted rows. */
  readonly #partial = new Map<PartialVisibility, CellsOfView>();
  #partialBytes = 0;

  /** The cells of these tables of a cluster, in the same order; undefined if the slice was full before all were counted. */
  find(
    { texts, tables: byResource }: CountedCluster,
    tables: readonly KindTable[],
    visibilities: readonly Visibility[],
    work: CellWork,
  ): FoundCells | undefined {
    const partial = visibilities.find((visibility) => visibility.kind === "some");
    const viewed = {
      texts,
      tables,
      visibilities: partial === undefined ? visibilities.map(() => everyRow) : visibilities,
    };
    const cells =
      partial === undefined
        ? this.#openWhole(byResource).refresh(viewed, work)
        : this.#refreshPartial(partial, byResource, (kept) => kept.refresh(viewed, work));
    if (cells === undefined) return undefined;
    const labelCells = (): LabelCells => cells.labelCells(() => tables.map((_, at) => visibleTable(viewed, at)));
    return { cells, isPartial: partial !== undefined, visibleTable: (at) => visibleTable(viewed, at), labelCells };
  }

  #openWhole(byResource: ReadonlyMap<string, KindTable>): KeptCells {
    const kept = this.#whole.get(byResource) ?? new KeptCells();
    this.#whole.set(byResource, kept);
    return kept;
  }

  #refreshPartial(
    key: PartialVisibility,
    byResource: ReadonlyMap<string, KindTable>,
    refresh: (kept: KeptCells) => ClusterCells | undefined,
  ): ClusterCells | undefined {
    const view = this.#partial.get(key) ?? { byTables: new WeakMap(), bytes: 0 };
    const entry = view.byTables.get(byResource) ?? { kept: new KeptCells(), bytes: 0 };
    const cells = refresh(entry.kept);
    const bytes = entryBytes + entry.kept.sizeBytes;
    if (bytes === entry.bytes && this.#partial.has(key)) return cells;
    view.byTables.set(byResource, entry);
    this.#partial.delete(key);
    this.#partial.set(key, view);
    // Cells of a cluster that is gone stay counted until their visibility goes, so the sum is an upper bound.
    view.bytes += bytes - entry.bytes;
    this.#partialBytes += bytes - entry.bytes;
    entry.bytes = bytes;
    this.#dropOldest();
    return cells;
  }

  #dropOldest(): void {
    for (const [key, { bytes }] of this.#partial) {
      if (this.#partialBytes <= maxPartialBytes) return;
      this.#partial.delete(key);
      this.#partialBytes -= bytes;
    }
  }
}

/** One for all queries of the thread. */
export const cellsCache = new CellsCache();

/** Whether a cluster is small enough for cells. Others are read row by row. */
export function hasCells(texts: ClusterTexts, { tables, mostRows }: OrderedTables): boolean {
  return texts.namespaceCount <= maxNamespaces && tables.length <= maxTables && mostRows <= maxTableRows;
}
