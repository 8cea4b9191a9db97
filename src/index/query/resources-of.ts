// SPDX-License-Identifier: Apache-2.0
import { compareUtf8 } from "../../model/text.ts";
import type { KindTable } from "../table/kind-table.ts";

const known = new WeakMap<ReadonlyMap<string, KindTable>, readonly string[]>();

/** The resources of a cluster's tables, in bytewise order. Sorted again only after a table was added or removed. */
export function resourcesOf(tables: ReadonlyMap<string, KindTable>): readonly string[] {
  const sorted = known.get(tables);
  if (sorted?.length === tables.size && sorted.every((resource) => tables.has(resource))) return sorted;
  const resources = [...tables.keys()].sort(compareUtf8);
  known.set(tables, resources);
  return resources;
}
