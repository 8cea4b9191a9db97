// SPDX-License-Identifier: Apache-2.0
import { SetPairs } from "./set-pairs.ts";
import { NameBudget, noNames, withoutNames } from "./shown-names.ts";
import { createVisibility, noneVisible, type PartialVisibility, type Visibility } from "./visibility.ts";

/**
 * The objects that both show. Throws TOO_LARGE above the bound of names: the names that one side shows anywhere are
 * repeated for each namespace that only the other side shows as a whole.
 */
export function intersectVisibility(a: Visibility, b: Visibility, maxNames?: number): Visibility {
  if (a === b || b.kind === "all") return a;
  if (a.kind === "all") return b;
  if (a.kind === "none" || b.kind === "none") return noneVisible;
  const budget = new NameBudget(maxNames);
  const names = a.names.intersection(b.names);
  const namesIn = new Map<string, ReadonlySet<string>>();
  addWithin(namesIn, a, { ...b, names: withoutNames(b.names, names) }, budget);
  addWithin(namesIn, b, { ...a, names: withoutNames(a.names, names) }, budget);
  /** Names that both show in a namespace, one of them there alone. */
  const common = new SetPairs((own = noNames, other = noNames) => {
    budget.spend(own.size + other.size);
    const shown = new Set<string>();
    for (const name of own) if (b.names.has(name) || other.has(name)) shown.add(name);
    for (const name of other) if (a.names.has(name)) shown.add(name);
    return shown;
  });
  for (const namespace of new Set([...a.namesIn.keys(), ...b.namesIn.keys()])) {
    if (a.namespaces.has(namespace) || b.namespaces.has(namespace)) continue;
    const shown = common.get(a.namesIn.get(namespace), b.namesIn.get(namespace));
    if (shown.size > 0) namesIn.set(namespace, shown);
  }
  return createVisibility({
    names,
    namespaces: a.namespaces.intersection(b.namespaces),
    namesIn,
    namespaceObjects: common.get(a.namespaceObjects, b.namespaceObjects),
  });
}

/** Adds the names that `other` shows in namespaces that only `whole` shows as a whole. */
function addWithin(
  namesIn: Map<string, ReadonlySet<string>>,
  whole: PartialVisibility,
  other: PartialVisibility,
  budget: NameBudget,
): void {
  const unions = new SetPairs((names = noNames, own = noNames) => {
    budget.spend(own.size === 0 ? 0 : names.size + own.size);
    return own.size === 0 ? names : names.union(own);
  });
  for (const namespace of whole.namespaces) {
    if (other.namespaces.has(namespace)) continue;
    const shown = unions.get(other.names, other.namesIn.get(namespace));
    if (shown.size > 0) namesIn.set(namespace, shown);
  }
}
