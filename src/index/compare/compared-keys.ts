// SPDX-License-Identifier: Apache-2.0
import { compareUtf8 } from "../../model/text.ts";
import type { SelectionOf } from "../relations/table-selection.ts";
import type { ReadableFleet } from "../relations/visible-cluster.ts";
import { VisibleTable } from "../relations/visible-table.ts";
import { type ComparedKey, type ComparisonScope, compareComparedKeys } from "./object-presence.ts";

/** A comparison of the objects that a query selects. */
export interface ComparedSelection extends ComparisonScope {
  /** Objects that are selected in one cluster are compared in all; every visible object if it is left out. */
  readonly selectionOf?: SelectionOf | undefined;
}

/**
 * The first keys after `after` that any cluster of the scope has among its visible and selected rows, in order. Yields
 * after each cluster.
 */
export function* firstComparedKeys(
  fleet: ReadableFleet,
  scope: ComparedSelection,
  page: { readonly after: ComparedKey | undefined; readonly count: number },
): Generator<void, readonly ComparedKey[], undefined> {
  const keys = new LeastKeys(page.count);
  for (const cluster of scope.clusters) {
    const tables = fleet.get(cluster)?.tables ?? new Map<never, never>();
    for (const [resource, table] of tables) {
      if (page.after !== undefined && compareUtf8(resource, page.after.resource) < 0) continue;
      const visibility = scope.visibilityOf(cluster, resource);
      const selection = visibility.kind === "none" ? "none" : (scope.selectionOf?.(cluster, resource) ?? "all");
      if (selection === "none") continue;
      const visible = new VisibleTable({ resource, number: 0, table, visibility });
      const after = resource === page.after?.resource ? page.after : undefined;
      for (const row of visible.inOrder(after)) {
        if (selection !== "all" && !selection(row)) continue;
        if (!keys.add({ resource, namespace: visible.namespaceOf(row), name: visible.nameOf(row) })) break;
      }
    }
    yield;
  }
  return keys.list;
}

/** The least ones of the keys that were added, each once, in order. */
class LeastKeys {
  readonly list: ComparedKey[] = [];
  readonly #count: number;

  constructor(count: number) {
    this.#count = count;
  }

  /** False if neither this key nor any greater one is among the least. */
  add(key: ComparedKey): boolean {
    let [low, high] = [0, this.list.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.list[middle];
      if (other !== undefined && compareComparedKeys(other, key) < 0) low = middle + 1;
      else high = middle;
    }
    const found = this.list[low];
    if (found !== undefined && compareComparedKeys(found, key) === 0) return true;
    if (low >= this.#count) return false;
    this.list.splice(low, 0, key);
    if (this.list.length > this.#count) this.list.pop();
    return true;
  }
}
