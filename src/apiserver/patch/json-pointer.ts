// SPDX-License-Identifier: Apache-2.0
// The location that an operation of a JSON patch names: its map or list, and its key there.
import { type Draft, type DraftObject, deleteKey, getKey, isList, isObject, setKey } from "../json/json.ts";
import { patchFailed } from "./patch-error.ts";

export interface JsonPointerTarget {
  readonly container: DraftObject | Draft[];
  readonly key: string;
}

/**
 * The location of a path; undefined if the path leaves the document. As in kube-apiserver, text before the first slash
 * is ignored.
 */
export function resolvePointer(root: DraftObject | Draft[], path: string): JsonPointerTarget | undefined {
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

/** The value at a location; undefined for an absent key of a map. Throws for an index outside a list. */
export function readAt({ container, key }: JsonPointerTarget): Draft | undefined {
  if (!isList(container)) return getKey(container, key);
  return container[existingIndex(container, key)];
}

/** Sets a key, or inserts an item at that index; `-` appends it. */
export function addAt({ container, key }: JsonPointerTarget, value: Draft): void {
  if (!isList(container)) setKey(container, key, value);
  else if (key === "-") container.push(value);
  else container.splice(toIndex(key, container.length + 1), 0, value);
}

/** Sets a key, which may be absent, or the item at an existing index. */
export function replaceAt({ container, key }: JsonPointerTarget, value: Draft): void {
  if (isList(container)) container[existingIndex(container, key)] = value;
  else setKey(container, key, value);
}

/** Removes a key or an item. Throws if it does not exist. */
export function removeAt({ container, key }: JsonPointerTarget): void {
  if (isList(container)) container.splice(existingIndex(container, key), 1);
  else if (Object.hasOwn(container, key)) deleteKey(container, key);
  else throw patchFailed(`Unable to remove nonexistent key: ${key}`);
}

/** An optional sign and digits, as in Go's Atoi. */
const indexForm = /^[+-]?[0-9]+$/u;

function itemAt(list: readonly Draft[], key: string): Draft | undefined {
  if (!indexForm.test(key)) return undefined;
  const index = Number(key);
  return list.at(index);
}

function existingIndex(list: readonly Draft[], key: string): number {
  return toIndex(key, list.length);
}

/** Parses an index below `limit`. As in kube-apiserver, a negative one counts from the limit. */
function toIndex(key: string, limit: number): number {
  const index = indexForm.test(key) ? Number(key) : Number.NaN;
  const counted = index < 0 ? index + limit : index;
  if (!(counted >= 0 && counted < limit)) throw patchFailed(`Unable to access invalid index: ${key}`);
  return counted;
}

/** Replaces both escapes in one pass, from left to right: `~01` is `~1`. */
function unescapePart(part: string): string {
  return part.replaceAll(/~[01]/gu, (escape) => (escape === "~1" ? "/" : "~"));
}
