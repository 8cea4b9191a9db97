// SPDX-License-Identifier: Apache-2.0
// Lists that a strategic merge patch merges item by item.
import { type Draft, type DraftObject, getKey, isObject, type Json } from "../json/json.ts";
import { areMaps, identityOf, mergeKeyOf, orderItems } from "./element-order.ts";
import { formatGoValue } from "./go-value.ts";
import { patchDirective, unknownDirective } from "./patch-directives.ts";
import { strategicPatchFailed } from "./patch-error.ts";
import { goKindOf, type PatchField } from "./patch-schema.ts";

/** Merges two maps of one item. May change the first; the result replaces it. */
export type MergeItem = (original: DraftObject, patch: DraftObject) => DraftObject;

export interface ListMerge {
  readonly original: readonly Draft[];
  readonly patch: readonly Draft[];
  readonly field: PatchField;
  /** Whether the patch lists the items to delete (`$deleteFromPrimitiveList`). */
  readonly isDeleteList: boolean;
  readonly mergeItem: MergeItem;
}

/** Merges two lists. A list of a field without the merge strategy is replaced. */
export function mergeLists({ original, patch, field, isDeleteList, mergeItem }: ListMerge): Draft[] {
  if (field.strategy !== "merge" && !isDeleteList) return [...patch];
  if (original.length === 0 && patch.length === 0) return [];
  if (areMaps(original, patch)) return mergeMaps(original, patch, field, mergeItem);
  if (isDeleteList) {
    const deleted = new Set(patch.map(identityOf));
    return original.filter((item) => !deleted.has(identityOf(item)));
  }
  const merged = [...new Map([...original, ...patch].map((item) => [identityOf(item), item])).values()];
  const identity = { areMaps: false, mergeKey: field.mergeKey };
  return orderItems({ merged, patchOrder: patch, oldOrder: original, identity });
}

/** Throws unless the patch's items are in the order list, in the same order. Items that delete are ignored. */
export function checkOrder(patch: readonly Json[], order: readonly Json[], mergeKey: string): void {
  if (order.length === 0 || patch.length === 0) return;
  const items = mergeKey === "" ? patch : patch.filter((item) => !isDeletion(item, mergeKey));
  let at = 0;
  for (const wanted of order) {
    while (hasDirective(items[at])) at += 1;
    const item = items[at];
    if (item === undefined) return;
    if (identityIn(item, mergeKey) === identityIn(wanted, mergeKey)) at += 1;
  }
  if (at >= items.length) return;
  const [patched, ordered] = [formatGoValue(patch), formatGoValue(order)];
  const because = `The order in patch list:\n${patched}\n doesn't match $setElementOrder list:\n${ordered}\n`;
  throw strategicPatchFailed(because);
}

function mergeMaps(
  original: readonly Draft[],
  patch: readonly Draft[],
  field: PatchField,
  mergeItem: MergeItem,
): Draft[] {
  const { mergeKey } = field;
  if (mergeKey === "")
    throw strategicPatchFailed(`cannot merge lists without merge key for ${goKindOf(field.schema.type)}`);
  const { kept, items } = applyItemDirectives(original, patch, mergeKey);
  const merged = [...kept];
  const places = new Map<string, number>();
  for (const [index, item] of kept.entries()) {
    const value = isObject(item) ? getKey(item, mergeKey) : undefined;
    if (value !== undefined && !places.has(identityOf(value))) places.set(identityOf(value), index);
  }
  for (const item of items) {
    const id = identityOf(mergeKeyOf(item, mergeKey));
    const place = places.get(id);
    const old = place === undefined ? undefined : merged[place];
    if (place !== undefined && isObject(old) && isObject(item)) merged[place] = mergeItem(old, item);
    else places.set(id, merged.push(item) - 1);
  }
  return orderItems({ merged, patchOrder: items, oldOrder: kept, identity: { areMaps: true, mergeKey } });
}

/** Applies the items with `$patch`. Returns the remaining original items and the patch's items to merge. */
function applyItemDirectives(
  original: readonly Draft[],
  patch: readonly Draft[],
  mergeKey: string,
): { readonly kept: readonly Draft[]; readonly items: readonly Draft[] } {
  const items = patch.filter((item) => !hasDirective(item));
  const deleted = new Set<string>();
  let isReplaced = false;
  for (const item of patch) {
    const directive = isObject(item) ? getKey(item, patchDirective) : undefined;
    if (directive === "delete") deleted.add(identityOf(mergeKeyOf(item, mergeKey)));
    else if (directive === "replace") isReplaced = true;
    else if (directive === "merge") throw strategicPatchFailed("merging lists cannot yet be specified in the patch");
    else if (directive !== undefined) throw unknownDirective(directive, item);
  }
  if (isReplaced) return { kept: items, items: [] };
  const isKept = (item: Draft): boolean => {
    const value = isObject(item) ? getKey(item, mergeKey) : undefined;
    return value === undefined || !deleted.has(identityOf(value));
  };
  return { kept: deleted.size === 0 ? original : original.filter(isKept), items };
}

function hasDirective(item: Json | undefined): boolean {
  return isObject(item) && Object.hasOwn(item, patchDirective);
}

function isDeletion(item: Json, mergeKey: string): boolean {
  if (!isObject(item)) mergeKeyOf(item, mergeKey);
  return isObject(item) && getKey(item, patchDirective) === "delete";
}

function identityIn(item: Json, mergeKey: string): string {
  return identityOf(mergeKey === "" ? item : mergeKeyOf(item, mergeKey));
}
