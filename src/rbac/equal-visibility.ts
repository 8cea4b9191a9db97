// SPDX-License-Identifier: Apache-2.0
import { SetPairs } from "./set-pairs.ts";
import type { Visibility } from "./visibility.ts";

/** True if both show the same objects. */
export function equalVisibility(a: Visibility, b: Visibility): boolean {
  if (a === b) return true;
  if (a.kind !== "some" || b.kind !== "some") return a.kind === b.kind;
  const pairs = new SetPairs(equalSets);
  return (
    equalSets(a.names, b.names) &&
    equalSets(a.namespaces, b.namespaces) &&
    equalSets(a.namespaceObjects, b.namespaceObjects) &&
    a.namesIn.size === b.namesIn.size &&
    [...a.namesIn].every(([namespace, names]) => pairs.get(names, b.namesIn.get(namespace)))
  );
}

function equalSets(a: ReadonlySet<string> | undefined, b: ReadonlySet<string> | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && a.size === b.size && a.isSubsetOf(b));
}
