// SPDX-License-Identifier: Apache-2.0
// The order of a map's entries in hashes and batches: bytewise by key, each key once, keys well-formed (CO26).
import { compareUtf8 } from "../text.ts";

function isWellFormed(map: ReadonlyMap<string, unknown>): boolean {
  for (const key of map.keys()) if (!key.isWellFormed()) return false;
  return true;
}

function isAscending(map: ReadonlyMap<string, unknown>): boolean {
  let before: string | undefined;
  for (const key of map.keys()) {
    if (before !== undefined && compareUtf8(before, key) >= 0) return false;
    before = key;
  }
  return true;
}

/** The map with well-formed keys: usually the map itself. Of keys that become equal, the last in order stays. */
export function toWellFormedMap<Value>(map: ReadonlyMap<string, Value>): ReadonlyMap<string, Value> {
  if (isWellFormed(map)) return map;
  const merged = new Map<string, Value>();
  for (const [key, value] of [...map].sort(([a], [b]) => compareUtf8(a, b))) merged.set(key.toWellFormed(), value);
  return merged;
}

/** Visits the entries of a map with well-formed keys in key order, regardless of insertion order. */
export function visitInKeyOrder<Value>(
  map: ReadonlyMap<string, Value>,
  visit: (value: Value, key: string) => void,
): void {
  if (isAscending(map)) {
    map.forEach(visit);
    return;
  }
  for (const key of [...map.keys()].sort(compareUtf8)) {
    const value = map.get(key);
    if (value !== undefined) visit(value, key);
  }
}
