// SPDX-License-Identifier: Apache-2.0
// Groups values into messages of bounded size. The size of rows is up to the agent, within CO24.
import type { Row } from "../../model/rows/row.ts";

/** The bounds of one group. A single value above them forms a group by itself. */
export interface GroupBounds<T> {
  readonly maxCount: number;
  readonly maxSize: number;
  readonly sizeOf: (value: T) => number;
}

/**
 * Maximum characters of one message: a quarter of the default message limit in bytes, since a character takes up to
 * three.
 */
export const maxMessageChars = 1024 * 1024;

/** Overhead of a field: its number and its length. */
const fieldChars = 4;

/** The values in non-empty groups, in order. Holds one group in memory. */
export function* inGroups<T>(values: Iterable<T>, bounds: GroupBounds<T>): Generator<readonly T[], void, undefined> {
  const { maxCount, maxSize, sizeOf } = bounds;
  let group: T[] = [];
  let size = 0;
  for (const value of values) {
    const more = sizeOf(value);
    if (group.length === maxCount || (group.length > 0 && size + more > maxSize)) {
      yield group;
      [group, size] = [[], 0];
    }
    group.push(value);
    size += more;
  }
  if (group.length > 0) yield group;
}

/** Characters of the texts, including the overhead of their fields. */
export function charsOf(...texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length + fieldChars, 0);
}

/** Characters of a row as a message. */
export function rowChars(row: Row): number {
  const { namespace, name, uid, resourceVersion, reason, message, owner } = row;
  let chars = charsOf(namespace, name, uid, resourceVersion, reason, message);
  if (owner !== undefined) chars += charsOf(owner.group, owner.kind, owner.name, owner.uid);
  for (const map of [row.labels, row.annotations]) for (const [key, value] of map) chars += charsOf(key, value);
  for (const [column, value] of row.columns)
    chars += charsOf(column) + (typeof value === "object" ? charsOf(...value) : charsOf(String(value)));
  return chars;
}
