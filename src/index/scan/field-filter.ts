// SPDX-License-Identifier: Apache-2.0
// Filters by fields that are not a column of ids, and the label sets and owners that pass a test.
import type { Predicate, TextTest } from "../language/query-predicate.ts";
import type { ClusterTexts } from "../table/cluster-texts.ts";

import { fromTexts, type IdMatch, isSameId, toIdMatch } from "./id-match.ts";
import type { RowFilter, ScanScratch } from "./keep-rows.ts";
import { createTextTest, matchTexts } from "./match-texts.ts";
import type { ScannedRows } from "./scanned-rows.ts";

type FieldPredicate = Extract<Predicate, { kind: "field" }>;
interface ClusterWords {
  readonly fields: { readonly cluster: string; readonly region: string; readonly environment: string };
}

/** The filter of the uid, or of a field that all rows of the cluster share. */
export function compileField(
  { field, test }: FieldPredicate,
  { fields }: ClusterWords,
  isNegated: boolean,
): "all" | "none" | ((table: ScannedRows) => RowFilter) {
  const passes = createTextTest(test);
  if (field === "cluster" || field === "region" || field === "environment")
    return passes(fields[field]) === isNegated ? "none" : "all";
  if (test.kind === "equals" && test.text !== "" && !isNegated) return (table) => keepOne(table.findUid(test.text));
  return (table) => keepEach((row) => passes(table.uidOf(row)) !== isNegated);
}

function keepOne(row: number): RowFilter {
  if (row === -1) return "none";
  return (rows, count, isEvery = false) => {
    if (!isEvery && !rows.subarray(0, count).includes(row)) return 0;
    rows[0] = row;
    return 1;
  };
}

/** For rare tests that need a JavaScript value of each row. */
function keepEach(passes: (row: number) => boolean): RowFilter {
  return (rows, count, isEvery = false) => {
    let kept = 0;
    for (let at = 0; at < count; at += 1) {
      const row = isEvery ? at : (rows[at] ?? 0);
      if (!passes(row)) continue;
      rows[kept] = row;
      kept += 1;
    }
    return kept;
  };
}

/** The label or annotation sets that have the key with a value that passes. */
export function matchLabels(
  { texts, maps, labels }: ClusterTexts,
  { key, test }: { readonly key: string; readonly test: TextTest },
  scratch: ScanScratch,
): IdMatch {
  const keyId = texts.find(key);
  const wanted = test.kind === "equals" ? texts.find(test.text) : undefined;
  if (keyId === undefined || (test.kind === "equals" && wanted === undefined)) return { kind: "none" };
  const values = labels.valuesOf(keyId);
  const isMatched = scratch.takeFlags(maps.count);
  if (wanted !== undefined) {
    for (let set = 1; set < isMatched.length; set += 1) isMatched[set] = isSameId(values[set] ?? 0, wanted + 1);
    return toIdMatch(isMatched);
  }
  const passes = createTextTest(test);
  // By value: 1 if it passes, 2 if not.
  const verdicts = scratch.takeFlags(texts.count + 1);
  for (let set = 1; set < maps.count; set += 1) {
    const value = values[set] ?? 0;
    if (value === 0) continue;
    const verdict = verdicts[value] || (passes(texts.get(value - 1)) ? 1 : 2);
    verdicts[value] = verdict;
    isMatched[set] = verdict === 1 ? 1 : 0;
  }
  return toIdMatch(isMatched);
}

/** The owners of this kind, "" for any, whose name passes. */
export function matchOwners(
  { texts, owners }: ClusterTexts,
  { ownerKind, test }: { readonly ownerKind: string; readonly test: TextTest },
  scratch: ScanScratch,
): IdMatch {
  const kindId = ownerKind === "" ? undefined : texts.find(ownerKind);
  if (ownerKind !== "" && kindId === undefined) return { kind: "none" };
  const matched = fromTexts(matchTexts(texts, test, { scratch }));
  if (matched.kind === "none") return matched;
  const { ids } = owners;
  const isMatched = scratch.takeFlags(owners.count);
  for (let owner = 1; owner < owners.count; owner += 1) {
    const start = owners.startOf(owner);
    if (kindId !== undefined && ids[start + 1] !== kindId) continue;
    const name = ids[start + 2] ?? 0;
    const isNamed =
      matched.kind === "all" || (matched.kind === "one" ? name === matched.id : matched.isMatched[name] === 1);
    if (isNamed) isMatched[owner] = 1;
  }
  return toIdMatch(isMatched);
}
