// SPDX-License-Identifier: Apache-2.0
import type { Visibility } from "../../rbac/visibility.ts";
import type { Predicate } from "../language/query-predicate.ts";
import type { KindTable } from "../table/kind-table.ts";
import type { TextDictionary } from "../table/text-dictionary.ts";
import { CellFilter } from "./cell-filter.ts";
import { type CellMask, everyStatus, intersectMasks } from "./cell-mask.ts";
import { CellTally } from "./cell-tally.ts";
import type { TableView } from "./field-source.ts";
import type { QueriedCluster } from "./query-request.ts";
import type { QueryWork } from "./query-work.ts";
import { cellsOf, everyNamespaceOf, keepCells, type TableCells } from "./table-cells.ts";
import { visibleMask } from "./visible-mask.ts";
import { VisibleParts } from "./visible-parts.ts";

/** The cells that users of all teams see of all tables: 2 bytes for each visible row. */
const maxVisibleBytes = 32 * 1024 * 1024;

/** Kept over queries. */
const visibleCells = new VisibleParts<TableCells>(maxVisibleBytes);

/** What lets the rows of a table pass: the predicate, and what the user may see. */
interface TableMasks {
  readonly wanted: CellMask;
  readonly visible: CellMask;
}

/** The selected rows of one cluster as counts. */
export interface CountedCluster {
  /** Of the tables that were counted. Borrowed until the next cluster. */
  readonly tally: CellTally;
  /** False if the table must be read row by row. */
  readonly isCounted: (at: number) => boolean;
  /** What lets the rows of a counted table pass. */
  readonly maskOf: (at: number) => CellMask;
}

/** Counts the rows of clusters without looking at them, for predicates over kind, cluster, namespace and status. */
export class CellCounter {
  readonly #filter: CellFilter;
  readonly #work: QueryWork;
  readonly #tally = new CellTally();

  private constructor(filter: CellFilter, work: QueryWork) {
    this.#filter = filter;
    this.#work = work;
  }

  /** Undefined if the predicate looks at other fields. */
  static create(predicate: Predicate, fleetNamespaces: TextDictionary, work: QueryWork): CellCounter | undefined {
    const filter = CellFilter.create(predicate, fleetNamespaces);
    return filter === undefined ? undefined : new CellCounter(filter, work);
  }

  /** `views` are all tables of the cluster, in key order. */
  count(
    cluster: QueriedCluster,
    views: readonly TableView[],
    visibilityOf: (view: TableView) => Visibility,
    withNamespaces: boolean,
  ): CountedCluster {
    const masks = views.map((view) => this.#masksOf(cluster, view, visibilityOf));
    this.#tally.start(views.length, cluster.texts.namespaceCount);
    const counted: CountedCluster = {
      tally: this.#tally,
      isCounted: (at) => masks[at] !== undefined,
      maskOf: createIntersection(masks),
    };
    if (withNamespaces && masks.every(isEveryRow) && this.#addEveryRow(cluster, views)) return counted;
    const passing = new PassingNamespaces();
    for (const [at, { table }] of views.entries())
      if (!this.#addTable(at, table, masks[at], passing, withNamespaces)) masks[at] = undefined;
    return counted;
  }

  /** Undefined if names decide what is visible. */
  #masksOf(
    { texts }: QueriedCluster,
    view: TableView,
    visibilityOf: (view: TableView) => Visibility,
  ): TableMasks | undefined {
    if (view.table.count === 0) return everything;
    const visible = visibleMask(texts, visibilityOf(view));
    if (visible === undefined) return undefined;
    const wanted = visible === 0 ? 0 : this.#filter.maskOf(view, texts);
    return wanted === 0 ? nothing : { wanted, visible };
  }

  /** Adds all rows of a cluster, whose namespaces were counted together. False if a table has no cells. */
  #addEveryRow({ texts }: QueriedCluster, views: readonly TableView[]): boolean {
    const cells = everyNamespaceOf(texts, views.map(tableOf), this.#work);
    if (cells === undefined) return false;
    this.#work.touch(cells.length >>> 2);
    for (const [at, { table }] of views.entries()) this.#tally.addStatuses(at, table, everyStatus);
    this.#tally.addNamespaces(cells);
    return true;
  }

  /** False if the table must be read row by row. */
  #addTable(
    at: number,
    table: KindTable,
    masks: TableMasks | undefined,
    passing: PassingNamespaces,
    withNamespaces: boolean,
  ): boolean {
    if (masks === undefined) return false;
    const { wanted, visible } = masks;
    if (wanted === 0 || visible === 0) return true;
    if (!withNamespaces && visible === everyStatus && typeof wanted === "number") {
      this.#tally.addStatuses(at, table, wanted);
      return true;
    }
    const all = cellsOf(table, this.#work);
    if (all === undefined) return false;
    const cells = typeof visible === "number" ? all : visibleCells.get(visible, table, () => measured(all, visible));
    // Looking at a cell takes a quarter of the time that counting a row takes.
    this.#work.touch(cells.cells.length >>> 2);
    this.#tally.addCells(at, cells, wanted, passing.of(wanted));
    return true;
  }
}

const noNumbers = new Uint32Array(0);

const nothing: TableMasks = { wanted: 0, visible: 0 };

const everything: TableMasks = { wanted: everyStatus, visible: everyStatus };

const isEveryRow = (masks: TableMasks | undefined): boolean =>
  masks?.wanted === everyStatus && masks.visible === everyStatus;

const tableOf = ({ table }: TableView): KindTable => table;

function measured(
  all: TableCells,
  mask: Uint8Array,
): {
  readonly part: TableCells;
  readonly bytes: number;
} {
  const part = keepCells(all, mask);
  return { part, bytes: part.cells.byteLength + part.starts.byteLength };
}

/** The masks of tables by both parts. Equal pairs share one array. */
function createIntersection(masks: readonly (TableMasks | undefined)[]): CountedCluster["maskOf"] {
  const joined = new Map<CellMask, Map<CellMask, CellMask>>();
  return (at) => {
    const ofTable = masks[at];
    if (ofTable === undefined) return 0;
    const { wanted, visible } = ofTable;
    if (typeof wanted === "number" && typeof visible === "number") return wanted & visible;
    const known = joined.get(wanted)?.get(visible);
    if (known !== undefined) return known;
    const mask = intersectMasks(wanted, visible);
    joined.set(wanted, (joined.get(wanted) ?? new Map<CellMask, CellMask>()).set(visible, mask));
    return mask;
  };
}

/** The namespaces that masks let pass, found once for the tables of a cluster. */
class PassingNamespaces {
  readonly #byMask = new Map<CellMask, Uint32Array>();

  of(mask: CellMask): Uint32Array {
    if (typeof mask === "number") return noNumbers;
    const known = this.#byMask.get(mask);
    if (known !== undefined) return known;
    const numbers = new Uint32Array(mask.length + 1);
    let length = 0;
    for (let number = 0; number < mask.length; number += 1) {
      numbers[length] = number;
      length += +(mask[number] !== 0);
    }
    const passing = numbers.subarray(0, length);
    this.#byMask.set(mask, passing);
    return passing;
  }
}
