// SPDX-License-Identifier: Apache-2.0
import type { Visibility } from "../../rbac/visibility.ts";
import type { Predicate } from "../language/query-predicate.ts";
import type { ClusterFields } from "../scan/row-filter.ts";
import type { TextDictionary } from "../table/text-dictionary.ts";
import { CellFilter } from "./cell-filter.ts";
import { type CellMask, everyStatus } from "./cell-mask.ts";
import { CellTally, type NamespaceSums, sumRange, TableMasks } from "./cell-tally.ts";
import { type CountedCluster, cellsCache } from "./cells-cache.ts";
import type { ClusterCells } from "./cluster-cells.ts";
import type { CellWork } from "./kept-cells.ts";
import { LabelAnswers } from "./label-answers.ts";
import type { OrderedTables } from "./ordered-tables.ts";

/** The tables of a cluster in key order, and what the user sees of each. */
export interface CountedView extends CountedCluster {
  readonly fields: ClusterFields;
  readonly ordered: OrderedTables;
  readonly visibilityOf: (resource: string) => Visibility;
}

/** Counts the rows of clusters without looking at them, for predicates over kind, cluster, namespace, status and label. */
export class CellCounter {
  readonly #filter: CellFilter;
  readonly #labels: LabelAnswers | undefined;
  readonly #work: CellWork;
  readonly #namespaces: TextDictionary;
  /** Of all counted rows, by id of the namespace in the dictionary of the fleet. */
  #sums = new Uint32Array(0);
  /** Borrowed until the next cluster. */
  readonly tally = new CellTally();

  private constructor(filter: CellFilter, namespaces: TextDictionary, work: CellWork) {
    this.#filter = filter;
    this.#labels = filter.labelTests.length === 0 ? undefined : new LabelAnswers(filter.labelTests);
    this.#namespaces = namespaces;
    this.#work = work;
  }

  /** Undefined if the predicate looks at other fields. `namespaces` are those of all clusters. */
  static create(predicate: Predicate, namespaces: TextDictionary, work: CellWork): CellCounter | undefined {
    const filter = CellFilter.create(predicate, namespaces);
    return filter === undefined ? undefined : new CellCounter(filter, namespaces, work);
  }

  /** Counted rows by id of the namespace. Only if `count` was asked for them. */
  get namespaceSums(): Uint32Array {
    return this.#sums;
  }

  /**
   * Counts a cluster into `tally`. False if the slice was full before its tables were counted: call it again then. With
   * `withNamespaces` the rows are added to `namespaceSums`.
   */
  count(view: CountedView, withNamespaces: boolean): boolean {
    const { texts, fields } = view;
    const { resources, tables } = view.ordered;
    this.tally.start(tables.length);
    const ids = texts.fleetNamespaces;
    this.#filter.open();
    const answers = resources.map((resource) => this.#filter.answersOf({ resource, fields }));
    if (!answers.some((each) => this.#filter.canPass(each))) return true;
    const visibilities = resources.map(view.visibilityOf);
    const found = cellsCache.find(view, tables, visibilities, this.#work);
    if (found === undefined) return false;
    const masksOf = memoizeMasks((labels) =>
      answers.map((each, at) => (visibilities[at]?.kind === "none" ? 0 : this.#filter.maskOf(each, labels))),
    );
    const namespaces = { sums: this.#reserve(), ids };
    this.#addTables(found.cells, masksOf(0), namespaces, withNamespaces);
    if (this.#labels !== undefined) {
      const necessary = answers.reduce((both, each) => both & this.#filter.necessaryLabels(each), -1);
      const answered = this.#labels.open(texts, necessary);
      this.#work.touch(answered.count);
      if (answered.count > 0) this.tally.moveSets(found.labelCells(), answered, masksOf, namespaces);
    }
    return true;
  }

  /** Adds the rows that pass without labels. */
  #addTables(cells: ClusterCells, { masks }: TableMasks, namespaces: NamespaceSums, withNamespaces: boolean): void {
    const isEverything = masks.every((mask) => mask === everyStatus);
    let lookedAt = 0;
    let [fewOf, few]: [CellMask | undefined, Uint32Array | undefined] = [undefined, undefined];
    for (const [at, mask] of masks.entries()) {
      if (mask === 0) continue;
      lookedAt += cells.lengthOf(at);
      if (typeof mask === "object" && mask !== fewOf) {
        fewOf = mask;
        few = this.#fewNumbers(mask, namespaces);
      }
      if (typeof mask === "number") {
        this.tally.addStatuses(at, cells, mask);
        if (withNamespaces && !isEverything) this.tally.addNamespaces(at, cells, mask, namespaces);
      } else this.tally.addMasked(at, cells, mask, few, namespaces);
    }
    if (withNamespaces && isEverything) sumRange(cells.everyNamespace, 0, cells.everyNamespace.length, namespaces);
    // Looking at a cell takes a quarter of the time that counting a row takes.
    this.#work.touch(lookedAt >>> 2);
  }

  /** The numbers of the namespaces that a mask lets pass, if they are few. */
  #fewNumbers(mask: Uint8Array, { ids }: NamespaceSums): Uint32Array | undefined {
    const few = this.#filter.fewNamespaces(mask);
    return few
      ?.map((id) => ids.indexOf(id))
      .filter((number) => number !== 2 ** 32 - 1)
      .sort();
  }

  /** The sums, with room for all namespaces of the fleet. */
  #reserve(): Uint32Array {
    if (this.#sums.length < this.#namespaces.count) {
      const larger = new Uint32Array(Math.ceil(this.#namespaces.count * 1.25));
      larger.set(this.#sums);
      this.#sums = larger;
    }
    return this.#sums;
  }
}

/** Masks by the answers of label tests, computed once each. Equal masks are one object. */
function memoizeMasks(compute: (labels: number) => readonly CellMask[]): (labels: number) => TableMasks {
  const known: TableMasks[] = [];
  return (labels) => {
    const before = known[labels];
    if (before !== undefined) return before;
    const masks = compute(labels);
    const same = known.find((each) => each?.masks.every((mask, at) => mask === masks[at]));
    const found = same ?? new TableMasks(masks);
    known[labels] = found;
    return found;
  };
}
