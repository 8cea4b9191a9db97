// SPDX-License-Identifier: Apache-2.0
import type { PartialVisibility, Visibility } from "../../rbac/visibility.ts";
import type { ClusterTexts } from "../table/cluster-texts.ts";
import type { KindTable } from "../table/kind-table.ts";
import type { RowFilter } from "./row-filter.ts";

/** In an array by namespace number: nothing, everything, or some names are visible. */
const [hidden, whole, named] = [0, 1, 2];

/**
 * Keeps the rows of a table that a user may see. It is joined with the filter of a query inside the scan, so nothing is
 * counted that is not visible (L17).
 */
export function createVisibleFilter(table: KindTable, visibility: Visibility): RowFilter {
  if (visibility.kind !== "some") return visibility.kind;
  const { cluster } = table;
  const scopes = scopesOf(cluster, visibility);
  const anywhere = idsOf(cluster, visibility.names);
  const objects = idsOf(cluster, visibility.namespaceObjects);
  const within = new Map<number, ReadonlySet<number>>();
  for (const [namespace, names] of visibility.namesIn) {
    const number = cluster.findNamespace(namespace);
    if (number !== undefined) within.set(number, idsOf(cluster, names));
  }
  return (rows, count) => {
    const [namespaces, names] = [table.namespaces.values, table.names.values];
    let kept = 0;
    for (let at = 0; at < count; at += 1) {
      const row = rows[at] ?? 0;
      const namespace = namespaces[row] ?? 0;
      const scope = scopes[namespace] ?? hidden;
      if (scope !== whole) {
        const name = names[row] ?? 0;
        const isNamed = scope === named && within.get(namespace)?.has(name) === true;
        const isObject = namespace === 0 && objects.has(name);
        if (!isNamed && !isObject && !anywhere.has(name)) continue;
      }
      rows[kept] = row;
      kept += 1;
    }
    return kept;
  };
}

function scopesOf(cluster: ClusterTexts, { namespaces, namesIn }: PartialVisibility): Uint8Array {
  const scopes = new Uint8Array(cluster.namespaces.length);
  const set = (names: Iterable<string>, scope: number): void => {
    for (const name of names) {
      const number = cluster.findNamespace(name);
      if (number !== undefined) scopes[number] = scope;
    }
  };
  set(namesIn.keys(), named);
  set(namespaces, whole);
  return scopes;
}

/** The ids of those names that any row of the cluster has. */
function idsOf({ texts }: ClusterTexts, names: Iterable<string>): ReadonlySet<number> {
  const ids = new Set<number>();
  for (const name of names) {
    const id = texts.find(name);
    if (id !== undefined) ids.add(id);
  }
  return ids;
}
