// SPDX-License-Identifier: Apache-2.0
// One place in a draft that an operation of a JSON patch names: the map or list it is in, and its key there.
import { type Draft, type DraftObject, deleteKey, getKey, isList, isObject, setKey } from "../json/json.ts";
import { patchFailed } from "./patch-error.ts";

export interface JsonLocation {
  readonly container: DraftObject | Draft[];
  readonly key: string;
}

/** Where a path ends, or undefined where it leaves the document. As in the real server, what stands before the first slash does not count. */
export function findLocation(root: DraftObject | Draft[], path: string): JsonLocation | undefined {
  const [, ...parts] = path.split("/");
  const key = parts.pop();
  if (key === undefined) return undefined;
  let container = root;
  for (const part of parts) {
    const next = isList(container) ? itemAt(container, unescapePart(part)) : getKey(container, unescapePart(part));
    if (!isList(next) && !isObject(next)) return undefined;
    container = next;
  }
  return { container, key: unescapePart(key) };
}

/** The value at a place; undefined for a key that a map does not have. Throws for a list that is shorter. */
export function readAt({ container, key }: JsonLocation): Draft | undefined {
  if (!isList(container)) return getKey(container, key);
  return container[existingIndex(container, key)];
}

/** Sets a key, or puts an item before the one at that index; `-` puts it last. */
export function addAt({ container, key }: JsonLocation, value: Draft): void {
  if (!isList(container)) setKey(container, key, value);
  else if (key === "-") container.push(value);
  else container.splice(toIndex(key, container.length + 1), 0, value);
}

/** Sets a key, which need not be there, or the item at an index, which must. */
export function replaceAt({ container, key }: JsonLocation, value: Draft): void {
  if (isList(container)) container[existingIndex(container, key)] = value;
  else setKey(container, key, value);
}

/** Throws for a key or an index that is not there. */
export function removeAt({ container, key }: JsonLocation): void {
  if (isList(container)) container.splice(existingIndex(container, key), 1);
  else if (Object.hasOwn(container, key)) deleteKey(container, key);
  else throw patchFailed(`Unable to remove nonexistent key: ${key}`);
}

/** An optional sign and digits, as Go's Atoi reads them. */
const indexForm = /^[+-]?[0-9]+$/u;

function itemAt(list: readonly Draft[], key: string): Draft | undefined {
  if (!indexForm.test(key)) return undefined;
  const index = Number(key);
  return list.at(index);
}

function existingIndex(list: readonly Draft[], key: string): number {
  return toIndex(key, list.length);
}

/** An index below `limit`. A negative one counts from the limit, as in the real server. */
function toIndex(key: string, limit: number): number {
  const index = indexForm.test(key) ? Number(key) : Number.NaN;
  const counted = index < 0 ? index + limit : index;
  if (!(counted >= 0 && counted < limit)) throw patchFailed(`Unable to access invalid index: ${key}`);
  return counted;
}

/** Both escapes at once, from left to right: `~01` is `~1`. */
function unescapePart(part: string): string {
  return part.replaceAll(/~[01]/gu, (escape) => (escape === "~1" ? "/" : "~"));
}
