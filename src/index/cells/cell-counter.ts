// SPDX-License-Identifier: Apache-2.0
import type { Visibility } from "../../rbac/visibility.ts";
import type { Predicate } from "../language/query-predicate.ts";
import type { ClusterFields } from "../scan/row-filter.ts";
import type { KindTable } from "../table/kind-table.ts";
import type { TextDictionary } from "../table/text-dictionary.ts";
import { CellFilter } from "./cell-filter.ts";
import { everyStatus } from "./cell-mask.ts";
import { CellTally, sumRange } from "./cell-tally.ts";
import { type CountedCluster, cellsCache, type FoundCells } from "./cells-cache.ts";
import type { ClusterCells } from "./cluster-cells.ts";
import { ClusterMasks } from "./cluster-masks.ts";
import type { CellWork } from "./kept-cells.ts";
import { LabelAnswers } from "./label-answers.ts";
import { FleetNamespaceSums, type NamespaceSums } from "./namespace-sums.ts";
import type { OrderedTables } from "./ordered-tables.ts";

/** The tables of a cluster in key order, and what the user sees of each. */
export interface CountedView extends CountedCluster {
  readonly fields: ClusterFields;
  readonly ordered: OrderedTables;
  readonly visibilityOf: (resource: string) => Visibility;
}

/** Where the rows of a cluster are counted. */
interface CellTarget {
  readonly masks: ClusterMasks;
  /** The numbers of the namespaces without which no row passes, if they are few. */
  readonly few: Uint32Array | undefined;
  readonly namespaces: NamespaceSums;
}

/** The cells of a label set are scattered: reading them takes as long as reading this many rows one after the other. */
const defaultRowsPerSet = 16;

const noTables: ReadonlySet<number> = new Set();
const noAnswers: Uint8Array = new Uint8Array(0);

/** Counts the rows of clusters without looking at them, for predicates over kind, cluster, namespace, status and label. */
export class CellCounter {
  readonly #filter: CellFilter;
  readonly #labels: LabelAnswers | undefined;
  /** By the kinds of a cluster, then by what else decides for whole tables. */
  readonly #masks = new Map<readonly string[], Map<string, ClusterMasks>>();
  readonly #work: CellWork;
  readonly #rowsPerSet: number;
  readonly #namespaces: FleetNamespaceSums;
  /** Borrowed until the next cluster. */
  readonly tally = new CellTally();

  private constructor(filter: CellFilter, namespaces: TextDictionary, work: CellWork, rowsPerSet: number) {
    this.#filter = filter;
    this.#labels = filter.labelTests.length === 0 ? undefined : new LabelAnswers(filter.labelTests);
    this.#namespaces = new FleetNamespaceSums(namespaces);
    this.#work = work;
    this.#rowsPerSet = rowsPerSet;
  }

  /**
   * Undefined if the predicate looks at other fields. `namespaces` are those of all clusters. Tables with fewer rows for
   * each label set that can pass than `rowsPerSet` are read row by row.
   */
  static create(
    predicate: Predicate,
    namespaces: TextDictionary,
    work: CellWork,
    rowsPerSet = defaultRowsPerSet,
  ): CellCounter | undefined {
    const filter = CellFilter.create(predicate, namespaces);
    return filter === undefined ? undefined : new CellCounter(filter, namespaces, work, rowsPerSet);
  }

  /** Counted rows by id of the namespace. Only if `count` was asked for them. */
  get namespaceSums(): Uint32Array {
    return this.#namespaces.sums;
  }

  /**
   * Counts a cluster into `tally`. False if the slice was full before its tables were counted: call it again then. With
   * `withNamespaces` the rows are added to `namespaceSums`.
   */
  count(view: CountedView, withNamespaces: boolean): boolean {
    const { texts, ordered } = view;
    this.tally.start(ordered.tables.length);
    const ids = texts.fleetNamespaces;
    if (!this.#filter.open()) this.#masks.clear();
    const every = this.#masksOf(view, noTables);
    const few = every.fewNamespaces && numbersOf(every.fewNamespaces, ids);
    if (!every.canPass || few?.length === 0) return true;
    this.#labels?.open(texts);
    const setCount = this.#labels?.mostSets(every.necessaryLabels) ?? 0;
    if (setCount === 0 && !every.plain.canPass) return true;
    const visibilities = ordered.resources.map(view.visibilityOf);
    const found = cellsCache.find(view, ordered.tables, visibilities, this.#work);
    if (found === undefined) return false;
    // Cells of users who see a part have no rows of tables that are not visible.
    const masks = found.isPartial ? every : this.#masksOf(view, hiddenTables(visibilities));
    const target = { masks, few, namespaces: this.#namespaces.open(texts) };
    if (setCount === 0) this.#addTables(found.cells, target, withNamespaces);
    else if (labelledRows(ordered.tables, masks) < setCount * this.#rowsPerSet)
      this.#addRows(found, target, withNamespaces);
    else this.#addSets(found, target, withNamespaces);
    return true;
  }

  /** Adds the rows that pass without labels, then moves those of label sets. */
  #addSets(found: FoundCells, target: CellTarget, withNamespaces: boolean): void {
    this.#addTables(found.cells, target, withNamespaces);
    const { masks, namespaces } = target;
    const answered = this.#labels?.list(masks.necessaryLabels);
    this.#work.touch(answered?.count ?? 0);
    if (answered !== undefined && answered.count > 0)
      this.tally.moveSets(found.labelCells(), answered, masks, namespaces);
  }

  /** Adds the rows of tables for which labels matter one by one, and the others by their cells. */
  #addRows({ cells, visibleTable }: FoundCells, target: CellTarget, withNamespaces: boolean): void {
    const { masks, namespaces } = target;
    const answers = this.#labels?.bySet(masks.necessaryLabels) ?? noAnswers;
    this.#addTables(cells, target, withNamespaces, masks.isByLabels);
    for (let at = 0; at < masks.isByLabels.length; at += 1) {
      if (masks.isByLabels[at] === 0) continue;
      const visible = visibleTable(at);
      this.#work.touch(visible.rows?.length ?? visible.table.count);
      this.tally.addRows(at, visible, answers, masks, namespaces);
    }
  }

  /** Adds the rows that pass without labels, except those of some tables. */
  #addTables(cells: ClusterCells, target: CellTarget, withNamespaces: boolean, isLeftOut = noAnswers): void {
    const { few, namespaces } = target;
    const { masks } = target.masks.plain;
    const isEverything = masks.every((mask, at) => mask === everyStatus && isLeftOut[at] !== 1);
    let lookedAt = 0;
    for (const [at, mask] of masks.entries()) {
      if (mask === 0 || isLeftOut[at] === 1) continue;
      lookedAt += cells.lengthOf(at);
      if (typeof mask === "number") {
        this.tally.addStatuses(at, cells, mask);
        if (withNamespaces && !isEverything) this.tally.addNamespaces(at, cells, mask, namespaces);
      } else this.tally.addMasked(at, cells, mask, few, namespaces);
    }
    if (withNamespaces && isEverything) sumRange(cells.everyNamespace, 0, cells.everyNamespace.length, namespaces);
    // Looking at a cell takes a quarter of the time that counting a row takes.
    this.#work.touch(lookedAt >>> 2);
  }

  /** Most clusters have the same kinds, and are all selected: they share their masks. */
  #masksOf({ ordered: { resources }, fields }: CountedView, hidden: ReadonlySet<number>): ClusterMasks {
    const ofCluster = this.#filter.answersOfCluster(fields);
    const known = this.#masks.get(resources) ?? new Map<string, ClusterMasks>();
    this.#masks.set(resources, known);
    const key = hidden.size === 0 ? `${ofCluster}` : `${ofCluster}/${[...hidden].join()}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const answers = resources.map((resource) => this.#filter.answersOf(resource, ofCluster));
    const masks = new ClusterMasks(this.#filter, answers, hidden);
    known.set(key, masks);
    return masks;
  }
}

/** The numbers of those namespaces that the cluster has, ascending. */
function numbersOf(wanted: Uint32Array, ids: Uint32Array): Uint32Array {
  const numbers: number[] = [];
  for (const id of wanted) {
    const number = ids.indexOf(id);
    if (number !== -1) numbers.push(number);
  }
  return Uint32Array.from(numbers).sort();
}

function hiddenTables(visibilities: readonly Visibility[]): ReadonlySet<number> {
  if (!visibilities.some(({ kind }) => kind === "none")) return noTables;
  return new Set(visibilities.flatMap(({ kind }, at) => (kind === "none" ? [at] : [])));
}

/** The number of rows in tables for which labels matter. */
function labelledRows(tables: readonly KindTable[], { isByLabels }: ClusterMasks): number {
  let count = 0;
  for (let at = 0; at < isByLabels.length; at += 1) if (isByLabels[at] === 1) count += tables[at]?.count ?? 0;
  return count;
}
