// SPDX-License-Identifier: Apache-2.0
import type { FleetTables } from "../../index/fold/fleet-tables.ts";
import type { KindTable } from "../../index/table/kind-table.ts";
import type { LogPlace } from "../../store/fleet-log/fleet-log.ts";
import type { PlacesByResource } from "./past-read.ts";

/** The present rows of a kind, and their position in the log. */
export interface PresentKind {
  /** It does not change any more. */
  readonly table: KindTable;
  readonly position: number;
}

/** The present rows of a kind if they are those of a place or newer ones; undefined if they are not. */
export function findNewerKind(present: FleetTables, cluster: string, place: LogPlace): PresentKind | undefined {
  const table = present.isRbacComplete(cluster) ? present.get(cluster)?.tables.get(place.resource) : undefined;
  const { position } = present.kindPlace(cluster, place.resource);
  return table === undefined || position < place.position ? undefined : { table: table.snapshot(), position };
}

/**
 * The present tables of the kinds that have not changed since the places: they are the past rows, and the log need not
 * be read. Kinds without rows at their place are left out. The returned tables do not change any more.
 */
export function findUnchangedKinds(
  present: FleetTables,
  cluster: string,
  places: PlacesByResource,
): ReadonlyMap<string, KindTable> {
  const unchanged = new Map<string, KindTable>();
  const held = present.get(cluster);
  // While a cluster is being loaded, the position of a checkpoint stands before all its rows are there.
  if (held === undefined || !present.isRbacComplete(cluster)) return unchanged;
  for (const { resource, position, receivedAtMs } of present.kinds(cluster)) {
    const place = places.get(resource);
    if (place === undefined || place.position === 0) continue;
    // The index counts a flush by its last position, the log a kind by its own: equal times mean the same flush.
    if (receivedAtMs !== place.receivedAtMs || position < place.position) continue;
    const table = held.tables.get(resource);
    if (table !== undefined) unchanged.set(resource, table.snapshot());
  }
  return unchanged;
}
