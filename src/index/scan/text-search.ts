// SPDX-License-Identifier: Apache-2.0
import type { TextTest } from "../language/query-predicate.ts";
import type { ClusterTexts } from "../table/cluster-texts.ts";
import type { IdValues } from "../table/id-column.ts";
import { flagsOf, fromTexts, type IdMatch, keepAnyOf, keepFlaggedIds } from "./id-match.ts";
import type { KeepRows, RowFilter, ScanScratch } from "./keep-rows.ts";
import { createIdTest, createTextTest, matchTexts } from "./match-texts.ts";
import type { ScannedRows } from "./scanned-rows.ts";

/** Testing the text of a row takes as long as searching this many texts of the cluster. */
const textsPerRow = 32;

/** Columns of names, reasons and messages. */
export type SearchedColumn = "names" | "reasons" | "messages";

/**
 * Filters the rows of a cluster's tables that have a text which passes, in any of some columns. The texts of few rows
 * are tested one by one; for more rows, all names, reasons and messages of the cluster are searched once.
 */
export class TextSearch {
  readonly #cluster: ClusterTexts;
  readonly #test: TextTest;
  readonly #scratch: ScanScratch;
  /** The text of a row that has none passes. */
  readonly #passesEmpty: boolean;
  #found: IdMatch | undefined;
  #testedCount = 0;

  constructor({ texts, scratch }: { readonly texts: ClusterTexts; readonly scratch: ScanScratch }, test: TextTest) {
    this.#cluster = texts;
    this.#test = test;
    this.#scratch = scratch;
    this.#passesEmpty = createTextTest(test)("");
  }

  /** With `isNegated` it keeps the rows of which no text passes. */
  filter(table: ScannedRows, names: readonly SearchedColumn[], isNegated: boolean): RowFilter {
    // Most kinds have neither reasons nor messages.
    const columns = names.filter((name) => table[name].presentCount > 0).map((name) => table[name].values);
    if (columns.length < names.length && this.#passesEmpty) return isNegated ? "none" : "all";
    if (columns.length === 0) return isNegated ? "all" : "none";
    return (rows, count, isEvery = false) => {
      const keep = this.#isWorthSearch(count)
        ? this.#keepFound(columns, isNegated)
        : this.#keepTested(columns, isNegated);
      return keep(rows, count, isEvery);
    };
  }

  #isWorthSearch(rowCount: number): boolean {
    this.#testedCount += rowCount;
    return this.#found !== undefined || this.#testedCount * textsPerRow > this.#cluster.searched.count;
  }

  #keepFound(columns: readonly IdValues[], isNegated: boolean): KeepRows {
    const { texts, searched } = this.#cluster;
    this.#found ??= fromTexts(matchTexts(texts, this.#test, { searched, scratch: this.#scratch }));
    const found = this.#found;
    if (found.kind === "none" || found.kind === "all") return (found.kind === "all") === isNegated ? keepNone : keepAll;
    const flags = flagsOf(found, texts.count, this.#scratch);
    if (isNegated) return keepTexts(columns, (id) => flags[id] === 1, true);
    const [first = noValues, second = first, third = first] = columns;
    return columns.length === 1 ? keepFlaggedIds(first, flags) : keepAnyOf([first, second, third], flags);
  }

  #keepTested(columns: readonly IdValues[], isNegated: boolean): KeepRows {
    return keepTexts(columns, createIdTest(this.#cluster.texts, this.#test), isNegated);
  }
}

const noValues: IdValues = new Uint8Array(0);

function keepNone(): number {
  return 0;
}

const keepAll: KeepRows = (rows, count, isEvery = false) => {
  if (isEvery) for (let row = 0; row < count; row += 1) rows[row] = row;
  return count;
};

function keepTexts(columns: readonly IdValues[], passes: (id: number) => boolean, isNegated: boolean): KeepRows {
  return (rows, count, isEvery = false) => {
    let kept = 0;
    for (let at = 0; at < count; at += 1) {
      const row: number = isEvery ? at : (rows[at] ?? 0);
      if (columns.some((values) => passes(values[row] ?? 0)) === isNegated) continue;
      rows[kept] = row;
      kept += 1;
    }
    return kept;
  };
}
