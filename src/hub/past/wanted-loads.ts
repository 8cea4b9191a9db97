// SPDX-License-Identifier: Apache-2.0
import type { LogPlace } from "../../store/fleet-log/fleet-log.ts";
import type { KindRestore } from "./kind-restore.ts";
import type { PastKind } from "./past-cluster.ts";
import type { PastLoad } from "./past-messages.ts";
import { loadKey, type ReadCluster, takeKind } from "./past-read.ts";

/**
 * The longest time between two places of a kind for which the rows of the later one are built from those of the earlier
 * one: over a longer time, a checkpoint is usually less to read than all changes.
 */
const maxContinuedMs = 3_600_000;

/** The tables that are still in memory. What is found is pinned. */
export interface KnownTables {
  pin(resource: string, position: number): PastKind | undefined;
  pinBefore(place: Pick<PastKind, "resource" | "position">, sinceMs: number): PastKind | undefined;
  /** How to make the rows from the present ones; undefined if they must be folded. */
  restore(place: LogPlace): OpenedRestore | undefined;
}

/** A kind that is made from its present rows, and their position in the log. */
export interface OpenedRestore {
  readonly restore: KindRestore;
  readonly position: number;
}

/** The loads of rows at the first `momentCount` moments. Tables that are in memory are added to the read instead. */
export function wantedRows(held: ReadCluster, momentCount: number, known: KnownTables): readonly PastLoad[] {
  const loads = new Map<string, PastLoad>();
  for (const [at, places] of held.places.slice(0, momentCount).entries())
    for (const place of places.values()) {
      const { resource, position } = place;
      if (position === 0 || held.tables[at]?.has(resource) === true) continue;
      const kind = known.pin(resource, position);
      if (kind !== undefined) {
        takeKind(held, kind);
        continue;
      }
      const load: PastLoad = { what: "rows", resource, upTo: position };
      const key = loadKey(load);
      if (loads.has(key)) continue;
      const base = known.pinBefore(place, Math.max(place.earliestMs, place.receivedAtMs - maxContinuedMs));
      if (base !== undefined) held.bases.set(key, base);
      const from = base ?? firstOf(loads, held, place);
      const opened = from === undefined ? known.restore(place) : undefined;
      if (opened !== undefined) {
        held.restores.set(key, opened.restore);
        // Two moments may have the same end.
        loads.set(`touched before ${key}`, touchedLoad(place, opened.position));
      }
      loads.set(key, from === undefined ? load : { ...load, from: placeOf(from) });
    }
  return [...loads.values()];
}

/** The load of the keys that were touched between a place and the present rows. It comes before the rows of the place. */
function touchedLoad(place: LogPlace, upTo: number): PastLoad {
  return { what: "touched", resource: place.resource, upTo, from: placeOf(place) };
}

/** The `loadKey` of the rows that a load is for. */
export function rowsKeyOf({ what, resource, upTo, from }: PastLoad): string {
  return loadKey({ what: "rows", resource, upTo: what === "touched" ? (from?.position ?? 0) : upTo });
}

/** The loads of changes between the two moments of a read, after those of the rows at the first one. */
export function wantedDeletes({ places: [first, last] }: ReadCluster): readonly PastLoad[] {
  return Array.from(last?.values() ?? [], ({ resource, position: upTo }) => {
    const from = placeOf(first?.get(resource) ?? { position: 0, receivedAtMs: 0 });
    return { what: "deletes", resource, upTo, from };
  });
}

/** The first moment's place of the kind, if its rows are loaded before those of a later one. */
function firstOf(
  loads: ReadonlyMap<string, PastLoad>,
  { places, restores }: ReadCluster,
  { resource, receivedAtMs }: LogPlace,
): LogPlace | undefined {
  const first = places[0]?.get(resource);
  if (first === undefined || receivedAtMs - first.receivedAtMs > maxContinuedMs) return undefined;
  const key = loadKey({ what: "rows", resource, upTo: first.position });
  return loads.has(key) && !restores.has(key) ? first : undefined;
}

function placeOf({
  position,
  receivedAtMs,
}: Pick<LogPlace, "position" | "receivedAtMs">): NonNullable<PastLoad["from"]> {
  return { position, receivedAtMs };
}
