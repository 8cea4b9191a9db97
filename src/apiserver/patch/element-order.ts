// SPDX-License-Identifier: Apache-2.0
// The order of a merged list. Items in the patch have the patch's order, the others their old order. The two are
// interleaved by the old order. Items that are not in the old list come first.
import { type Draft, getKey, isList, isObject, type Json } from "../json/json.ts";
import { stringifyJson } from "../json/stringify-json.ts";
import { formatGoValue, goTypeOf } from "./go-value.ts";
import { patchFailed, strategicPatchFailed, wrongGoType } from "./patch-error.ts";

/** The identity of list items: maps by their merge key, other values by equality. */
export interface ItemIdentity {
  readonly areMaps: boolean;
  readonly mergeKey: string;
}

export interface OrderedLists {
  /** The merged items. */
  readonly merged: readonly Draft[];
  /** The order in the patch: its items, or only their merge keys. */
  readonly patchOrder: readonly Json[];
  /** The list before the patch. */
  readonly oldOrder: readonly Json[];
  readonly identity: ItemIdentity;
}

/** Sorts the merged items. */
export function orderItems({ merged, patchOrder, oldOrder, identity }: OrderedLists): Draft[] {
  const { mergeKey } = identity;
  const isPatched = mergeKey === "" ? valueFinder(patchOrder) : mapFinder(patchOrder, mergeKey);
  const patched: Draft[] = [];
  const untouched: Draft[] = [];
  for (const item of merged) (isPatched(item) ? patched : untouched).push(item);
  const oldRanks = rankItems(oldOrder, identity);
  const left = sortByRank(untouched, oldOrder, identity);
  const right = sortByRank(patched, patchOrder, identity);
  return weave(left, right, oldRanks, identity);
}

/** The same text for values that Go's `==` considers equal. */
export function identityOf(value: Json): string {
  return `${goTypeOf(value)}:${typeof value === "object" ? stringifyJson(value) : String(value)}`;
}

/** The merge key's value in an item. Throws if the item is not a map or has none. */
export function mergeKeyOf(item: Json, mergeKey: string): Json {
  if (!isObject(item)) throw wrongGoType("map", item);
  const value = getKey(item, mergeKey);
  if (value === undefined) throw noMergeKey(item, mergeKey);
  return value;
}

/** Whether the items are maps. Throws for items of different types, for lists of lists, and without any item. */
export function areMaps(original: readonly Json[], patch: readonly Json[]): boolean {
  const [first, ...more] = [...original, ...patch];
  if (first === undefined) throw strategicPatchFailed("no elements in any of the given slices");
  if (isList(first)) throw patchFailed("lists of lists are not supported");
  const type = goTypeOf(first);
  if (more.some((item) => goTypeOf(item) !== type)) {
    const lists = formatGoValue([original, patch]);
    throw strategicPatchFailed(`list element types are not identical: ${lists}`);
  }
  return isObject(first);
}

function noMergeKey(item: Json, mergeKey: string): Error {
  return strategicPatchFailed(`map: ${formatGoValue(item)} does not contain declared merge key: ${mergeKey}`);
}

function valueFinder(list: readonly Json[]): (item: Json) => boolean {
  const known = new Set(list.map(identityOf));
  return (item) => known.has(identityOf(item));
}

/**
 * Finds an item with the same merge key. As in kube-apiserver, throws if the list has a non-map and no item before it
 * matches.
 */
function mapFinder(list: readonly Json[], mergeKey: string): (item: Json) => boolean {
  const oddIndex = list.findIndex((item) => !isObject(item));
  const maps = oddIndex < 0 ? list : list.slice(0, oddIndex);
  const known = new Set<string>();
  for (const item of maps) {
    const value = isObject(item) ? getKey(item, mergeKey) : undefined;
    if (value !== undefined) known.add(identityOf(value));
  }
  return (item) => {
    const isKnown = known.has(identityOf(mergeKeyOf(item, mergeKey)));
    if (!isKnown && oddIndex >= 0) throw strategicPatchFailed(`value for key ${oddIndex} is not a map`);
    return isKnown;
  };
}

type Ranks = ReadonlyMap<string, number>;

/** The first index of each item in a list. */
function rankItems(list: readonly Json[], identity: ItemIdentity): Ranks {
  const ranks = new Map<string, number>();
  for (const [index, item] of list.entries()) {
    const key = rankKey(item, identity);
    if (!ranks.has(key)) ranks.set(key, index);
  }
  return ranks;
}

function rankKey(item: Json, identity: ItemIdentity): string {
  if (!identity.areMaps) return identityOf(item);
  return identityOf((isObject(item) ? getKey(item, identity.mergeKey) : undefined) ?? null);
}

function sortByRank(items: readonly Draft[], order: readonly Json[], identity: ItemIdentity): readonly Draft[] {
  if (identity.areMaps) for (const item of [...items, ...order]) mergeKeyOf(item, identity.mergeKey);
  const ranks = rankItems(order, identity);
  return items
    .map((item) => ({ item, rank: ranks.get(rankKey(item, identity)) ?? -1 }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}

function weave(left: readonly Draft[], right: readonly Draft[], ranks: Ranks, identity: ItemIdentity): Draft[] {
  const woven: Draft[] = [];
  const oldRank = (item: Draft): number | undefined => ranks.get(rankKey(item, identity));
  let at = 0;
  for (const item of right) {
    const rank = oldRank(item) ?? -1;
    for (; at < left.length; at += 1) {
      const other = left[at] ?? null;
      if ((oldRank(other) ?? rank) >= rank) break;
      woven.push(other);
    }
    woven.push(item);
  }
  return [...woven, ...left.slice(at)];
}
