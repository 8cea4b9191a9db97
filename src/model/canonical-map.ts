// SPDX-License-Identifier: Apache-2.0
import { compareUtf8 } from "./text.ts";

function isWellFormed(map: ReadonlyMap<string, unknown>): boolean {
  for (const key of map.keys()) if (!key.isWellFormed()) return false;
  return true;
}

/** Keys in strict bytewise order and well-formed: the map is canonical as it is. */
function isCanonical(map: ReadonlyMap<string, unknown>): boolean {
  let before: string | undefined;
  for (const key of map.keys()) {
    if (!key.isWellFormed() || (before !== undefined && compareUtf8(before, key) >= 0)) return false;
    before = key;
  }
  return true;
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return compareUtf8(a, b);
}

/**
 * The map with its entries in the one order that hashes and batches use: bytewise by key, each key once, keys well-formed
 * (CO26). Maps of one content give equal maps, whatever the order in which they were filled. A map that is in this order already is given back as it is.
 */
export function toCanonicalMap<Value>(map: ReadonlyMap<string, Value>): ReadonlyMap<string, Value> {
  if (isCanonical(map)) return map;
  const entries = [...map].sort(byKey);
  if (isWellFormed(map)) return new Map(entries);
  const merged = new Map<string, Value>();
  for (const [key, value] of entries) merged.set(key.toWellFormed(), value);
  return new Map([...merged].sort(byKey));
}
