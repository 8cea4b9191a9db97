// SPDX-License-Identifier: Apache-2.0
import type { FleetTables } from "../../index/fold/fleet-tables.ts";
import type { KindTable } from "../../index/table/kind-table.ts";
import type { PlacesByResource } from "./past-read.ts";

/**
 * The present tables of a cluster, if none of these kinds changed since the places: they then are the past rows, and
 * the log need not be read. Undefined if one did, because tables of one cluster are read together and share their
 * dictionaries. The returned tables do not change any more.
 */
export function usePresentKinds(
  present: FleetTables,
  cluster: string,
  places: PlacesByResource,
): ReadonlyMap<string, KindTable> | undefined {
  const held = present.get(cluster);
  // While a cluster is being loaded, the position of a checkpoint stands before all its rows are there.
  if (held === undefined || !present.isRbacComplete(cluster)) return undefined;
  const facts = new Map(present.kinds(cluster).map((kind) => [kind.resource, kind]));
  const tables = new Map<string, KindTable>();
  for (const { resource, position, receivedAtMs } of places.values()) {
    if (position === 0) continue;
    const now = facts.get(resource);
    // The index counts a flush by its last position, the log a kind by its own: equal times mean the same flush.
    if (now === undefined || now.receivedAtMs !== receivedAtMs || now.position < position) return undefined;
    const table = held.tables.get(resource);
    if (table === undefined) return undefined;
    tables.set(resource, table);
  }
  return new Map(Array.from(tables, ([resource, table]) => [resource, table.snapshot()]));
}
