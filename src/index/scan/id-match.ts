// SPDX-License-Identifier: Apache-2.0
import type { IdValues } from "../table/id-column.ts";
import type { KeepRows, RowFilter, ScanScratch } from "./keep-rows.ts";
import type { MatchedTexts } from "./match-texts.ts";

/** The ids of a dictionary that pass a test: none, all, one, or those with a 1 at their place. */
export type IdMatch =
  | { readonly kind: "none" }
  | { readonly kind: "all" }
  | { readonly kind: "one"; readonly id: number }
  | { readonly kind: "some"; readonly isMatched: Uint8Array };

/** In the simplest form: few tests pass all ids or none. */
export function toIdMatch(isMatched: Uint8Array): IdMatch {
  const first = isMatched.indexOf(1);
  if (first === -1) return { kind: "none" };
  if (isMatched.indexOf(0) === -1) return { kind: "all" };
  return isMatched.indexOf(1, first + 1) === -1 ? { kind: "one", id: first } : { kind: "some", isMatched };
}

/** A search over texts as a match in the simplest form. */
export function fromTexts(matched: MatchedTexts): IdMatch {
  return matched.kind === "some" ? toIdMatch(matched.isMatched) : matched;
}

/** The flags of a match over `count` ids. Borrowed from it if it has flags. */
export function flagsOf(match: IdMatch, count: number, scratch: ScanScratch): Uint8Array {
  if (match.kind === "some") return match.isMatched;
  const flags = scratch.takeFlags(count);
  if (match.kind === "all") flags.fill(1);
  if (match.kind === "one") flags[match.id] = 1;
  return flags;
}

/** The ids among `count` that do not match. */
export function invertMatch(match: IdMatch, count: number, scratch: ScanScratch): IdMatch {
  if (match.kind === "all") return { kind: "none" };
  if (match.kind === "none") return { kind: "all" };
  const flags = flagsOf(match, count, scratch);
  const inverted = scratch.takeFlags(count);
  for (let id = 0; id < count; id += 1) inverted[id] = 1 - (flags[id] ?? 0);
  return toIdMatch(inverted);
}

/** The ids among `count` that match any. */
export function uniteMatches(matches: readonly IdMatch[], count: number, scratch: ScanScratch): IdMatch {
  const some = matches.filter(({ kind }) => kind !== "none");
  const [first] = some;
  if (first === undefined) return { kind: "none" };
  if (some.length === 1) return first;
  if (some.some(({ kind }) => kind === "all")) return { kind: "all" };
  const united = scratch.takeFlags(count);
  for (const match of some) {
    if (match.kind === "one") united[match.id] = 1;
    if (match.kind !== "some") continue;
    for (let id = 0; id < count; id += 1) united[id] = (united[id] ?? 0) | (match.isMatched[id] ?? 0);
  }
  return toIdMatch(united);
}

/** The match for columns that store ids plus one: 0, no value, does not match. */
export function shiftMatch(match: IdMatch, count: number, scratch: ScanScratch): IdMatch {
  if (match.kind === "none") return match;
  if (match.kind === "one") return { kind: "one", id: match.id + 1 };
  const shifted = scratch.takeFlags(count + 1);
  shifted.set(flagsOf(match, count, scratch), 1);
  return toIdMatch(shifted);
}

/** A column of ids, and the number of rows that have one other than 0. */
interface MatchedColumn {
  readonly values: IdValues;
  readonly presentCount: number;
}

/** Keeps the rows whose id matches. */
export function keepMatched(column: MatchedColumn, match: IdMatch): RowFilter {
  if (match.kind === "none" || match.kind === "all") return match.kind;
  const { values } = column;
  if (match.kind === "one") {
    const { id } = match;
    if (column.presentCount === 0) return id === 0 ? "all" : "none";
    return (rows, count, isEvery = false) => keepEqual(values, id, rows, count, isEvery);
  }
  const { isMatched } = match;
  if (column.presentCount === 0) return isMatched[0] === 1 ? "all" : "none";
  return keepFlaggedIds(values, isMatched);
}

/** Keeps the rows whose id has a 1 at its place. */
export function keepFlaggedIds(values: IdValues, isMatched: Uint8Array): KeepRows {
  return (rows, count, isEvery = false) => keepListed(values, isMatched, rows, count, isEvery);
}

/** 1 if two ids are equal, else 0, without a branch: one that is taken at random costs 5 ns a row. */
export function isSameId(a: number, b: number): number {
  const difference = a ^ b;
  return ~(difference | -difference) >>> 31;
}

function keepEqual(values: IdValues, id: number, rows: Uint32Array, count: number, isEvery: boolean): number {
  let kept = 0;
  if (isEvery) {
    for (let row = 0; row < count; row += 1) {
      rows[kept] = row;
      kept = (kept + isSameId(values[row] ?? 0, id)) | 0;
    }
    return kept;
  }
  for (let at = 0; at < count; at += 1) {
    const row = rows[at] ?? 0;
    rows[kept] = row;
    kept = (kept + isSameId(values[row] ?? 0, id)) | 0;
  }
  return kept;
}

function keepListed(
  values: IdValues,
  isMatched: Uint8Array,
  rows: Uint32Array,
  count: number,
  isEvery: boolean,
): number {
  let kept = 0;
  if (isEvery) {
    for (let row = 0; row < count; row += 1) {
      rows[kept] = row;
      kept = (kept + (isMatched[values[row] ?? 0] ?? 0)) | 0;
    }
    return kept;
  }
  for (let at = 0; at < count; at += 1) {
    const row = rows[at] ?? 0;
    rows[kept] = row;
    kept = (kept + (isMatched[values[row] ?? 0] ?? 0)) | 0;
  }
  return kept;
}

/** Keeps the rows with a rare id, of which there are `foundCount`: the search ends at the last one. */
export function keepRare(values: IdValues, id: number, foundCount: number): KeepRows {
  return (rows, count, isEvery = false) => {
    if (!isEvery) return keepEqual(values, id, rows, count, false);
    let kept = 0;
    for (let row = values.indexOf(id); kept < foundCount && row !== -1; row = values.indexOf(id, row + 1)) {
      rows[kept] = row;
      kept += 1;
    }
    return kept;
  };
}

/** Keeps the rows that have a matching id in any of three columns. */
export function keepAnyOf(columns: readonly [IdValues, IdValues, IdValues], isMatched: Uint8Array): KeepRows {
  const [first, second, third] = columns;
  return (rows, count, isEvery = false) => {
    let kept = 0;
    for (let at = 0; at < count; at += 1) {
      const row: number = isEvery ? at : (rows[at] ?? 0);
      rows[kept] = row;
      const found =
        (isMatched[first[row] ?? 0] ?? 0) | (isMatched[second[row] ?? 0] ?? 0) | (isMatched[third[row] ?? 0] ?? 0);
      kept = (kept + found) | 0;
    }
    return kept;
  };
}
