// SPDX-License-Identifier: Apache-2.0
// Filters by the own columns of kinds.
import type { ColumnTest } from "../language/query-predicate.ts";
import { createTypedTest } from "../language/typed-test.ts";
import type { ClusterTexts } from "../table/cluster-texts.ts";

import { fromTexts, type IdMatch, invertMatch, keepMatched, shiftMatch, toIdMatch } from "./id-match.ts";
import { joinAll, joinAny, type RowFilter, type ScanScratch } from "./keep-rows.ts";
import { matchTexts } from "./match-texts.ts";
import { keepNumbers } from "./number-range.ts";
import type { ScannedRows } from "./scanned-rows.ts";
import { TextVerdicts } from "./text-verdicts.ts";

interface ColumnScan {
  readonly texts: ClusterTexts;
  readonly scratch: ScanScratch;
}

/** A value that is computed when a table first needs it. */
function lazily<T>(compute: () => T): () => T {
  let known: { readonly value: T } | undefined;
  return () => {
    known ??= { value: compute() };
    return known.value;
  };
}

/**
 * The filter of a column. It may have several types among the rows of a kind; each that has a test can match. With
 * `isNegated` it keeps the rows that match none.
 */
export function compileColumn(
  name: string,
  test: ColumnTest,
  { texts, scratch }: ColumnScan,
  isNegated: boolean,
): (table: ScannedRows) => RowFilter {
  const { text, number, boolean } = test;
  const passesTyped = createTypedTest(test);
  const judge = (match: IdMatch, count: number): IdMatch => (isNegated ? invertMatch(match, count, scratch) : match);
  const matchOf = (count: number, toLists: boolean): IdMatch => {
    if (text === undefined) return { kind: "none" };
    const match = fromTexts(matchTexts(texts.texts, text, { scratch }));
    return shiftMatch(toLists ? matchLists(texts, match, scratch) : match, count, scratch);
  };
  const strings = lazily(() => judge(matchOf(texts.texts.count, false), texts.texts.count + 1));
  const lists = lazily(() => judge(matchOf(texts.lists.count, true), texts.lists.count + 1));
  const booleans = judge({ kind: "one", id: boolean === true ? 2 : 1 }, 3);
  const verdicts = lazily(() => new TextVerdicts({ texts, scratch }, passesTyped ?? (() => false)));
  return (table) => {
    const filters: RowFilter[] = [];
    for (const type of ["string", "stringList"] as const) {
      const column = table.column(name, type);
      if (column === undefined || !("ids" in column)) continue;
      const isList = type === "stringList";
      if (text !== undefined) filters.push(keepMatched(column.ids, isList ? lists() : strings()));
      if (passesTyped === undefined) continue;
      const { values } = column.ids;
      const flags = isList ? verdicts().flagLists(values, table.count) : verdicts().flagTexts(values, table.count);
      filters.push(keepMatched(column.ids, judge(toIdMatch(flags), flags.length)));
    }
    const booleanColumn = boolean === undefined ? undefined : table.column(name, "boolean");
    if (booleanColumn !== undefined && "ids" in booleanColumn) filters.push(keepMatched(booleanColumn.ids, booleans));
    for (const type of ["integer", "float"] as const) {
      const column = number === undefined ? undefined : table.column(name, type);
      if (number !== undefined && column !== undefined && "numbers" in column)
        filters.push(keepNumbers(column.numbers, [number], isNegated));
    }
    return isNegated ? joinAll(filters) : joinAny(filters, scratch);
  };
}

/** The lists of which any element matches. */
function matchLists({ lists }: ClusterTexts, texts: IdMatch, scratch: ScanScratch): IdMatch {
  if (texts.kind === "none") return texts;
  const { ids } = lists;
  const isMatched = scratch.takeFlags(lists.count);
  for (let list = 1; list < lists.count; list += 1) {
    const end = lists.endOf(list);
    for (let at = lists.startOf(list); at < end; at += 1) {
      const id = ids[at] ?? 0;
      if (texts.kind === "all" || (texts.kind === "one" ? id === texts.id : texts.isMatched[id] === 1)) {
        isMatched[list] = 1;
        break;
      }
    }
  }
  return toIdMatch(isMatched);
}
