// SPDX-License-Identifier: Apache-2.0
import { compareUtf8 } from "./text.ts";

function isAscending(entries: readonly (readonly [string, unknown])[]): boolean {
  for (let at = 1; at < entries.length; at += 1) {
    const before = entries[at - 1];
    const entry = entries[at];
    if (before === undefined || entry === undefined || compareUtf8(before[0], entry[0]) >= 0) return false;
  }
  return true;
}

/**
 * The entries of a map in the one order that hashes and batches use: bytewise by key, each key once, keys well-formed
 * (CO26). Maps of one content give one list, whatever the order in which they were filled.
 */
export function canonicalEntries<Value>(map: ReadonlyMap<string, Value>): readonly (readonly [string, Value])[] {
  const entries = [...map];
  const isWellFormed = entries.every(([key]) => key.isWellFormed());
  if (isWellFormed && isAscending(entries)) return entries;
  entries.sort(([a], [b]) => compareUtf8(a, b));
  if (isWellFormed) return entries;
  const merged = new Map<string, Value>();
  for (const [key, value] of entries) merged.set(key.toWellFormed(), value);
  return [...merged].sort(([a], [b]) => compareUtf8(a, b));
}
