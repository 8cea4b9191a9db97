// SPDX-License-Identifier: Apache-2.0
// Cutting what is sent into messages of bounded size: a cluster's rows are as large as its agent makes them, within CO24.
import type { Row } from "../../model/row.ts";

/** How much goes into one group. One value that is larger alone is a group by itself. */
export interface GroupBounds<T> {
  readonly maxCount: number;
  readonly maxSize: number;
  readonly sizeOf: (value: T) => number;
}

/** Most characters of one message: a quarter of what a message may have by default, in which each character takes up to three bytes. */
export const maxMessageChars = 1024 * 1024;

/** What a field takes beside its text: its number and its length. */
const fieldChars = 4;

/** The values in groups, in order, none of them empty. Holds one group. */
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

/** Characters of texts with what their fields take. */
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
