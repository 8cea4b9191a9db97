// SPDX-License-Identifier: Apache-2.0
import type { KindTable } from "../../index/table/kind-table.ts";
import type { Visibility } from "../../rbac/visibility.ts";
import type { LogPlace } from "../../store/fleet-log/fleet-log.ts";
import type { DeletedRows, Deletions } from "./deleted-rows.ts";
import type { KindRestore } from "./kind-restore.ts";
import type { PastCluster, PastKind } from "./past-cluster.ts";
import type { PastLoad, PastPurpose } from "./past-messages.ts";

/** What an open read is about. */
export interface PastNeed {
  readonly purpose: PastPurpose;
  /** Milliseconds since 1970, ascending: one moment for a state, two otherwise. */
  readonly moments: readonly number[];
  /** What the user may see of a kind now; nothing of a kind that the query does not select. */
  readonly visibilityOf: (cluster: string, resource: string) => Visibility;
  /** For changes: kinds without a change in between are needed too, because the query depends on the time. */
  readonly withUnchanged: boolean;
}

/** Places of kinds by resource. */
export type PlacesByResource = ReadonlyMap<string, LogPlace>;

/** What a read holds of one cluster. */
export interface ReadCluster {
  /** By moment. Kinds that are not needed are left out. */
  readonly places: readonly PlacesByResource[];
  /** By moment. Tables are added when they are complete. */
  readonly tables: readonly Map<string, KindTable>[];
  /** Tables of the cache that this read pins. */
  readonly pinned: Set<PastKind>;
  /** Tables that are being loaded, by `loadKey`. */
  readonly loading: Map<string, PastKind>;
  /** Tables from which others are copied, by the `loadKey` of these. They are pinned meanwhile. */
  readonly bases: Map<string, PastKind>;
  /** Kinds that are made from their present rows, by the `loadKey` of their rows. */
  readonly restores: Map<string, KindRestore>;
  /** Deleted objects, by resource. Their memory counts until the read ends. */
  readonly deleted: Map<string, DeletedRows>;
  /** Tables of deleted objects. */
  deletes: PastCluster | undefined;
  readonly deletedTables: Map<string, KindTable>;
  /** By resource. */
  readonly deletions: Map<string, Deletions>;
  /** Loads that are not complete; undefined before they were asked for. 0: the cluster can be read. */
  pendingCount: number | undefined;
}

export interface PastRead {
  readonly need: PastNeed;
  readonly clusters: Map<string, ReadCluster>;
}

/** Identifies what a load gives. */
export function loadKey({ what, resource, upTo }: PastLoad): string {
  return `${what} ${upTo} ${resource}`;
}

/** Whether a kind can be part of the answer. */
export function isNeeded({ visibilityOf }: PastNeed, cluster: string, resource: string): boolean {
  return visibilityOf(cluster, resource).kind !== "none";
}

/** The places that a read needs of a cluster, by moment: of needed kinds and, for changes, of those that changed. */
export function neededPlaces(
  cluster: string,
  need: PastNeed,
  places: readonly (readonly LogPlace[])[],
): readonly PlacesByResource[] {
  const byMoment = places.map(
    (of) =>
      new Map(of.filter(({ resource }) => isNeeded(need, cluster, resource)).map((place) => [place.resource, place])),
  );
  if (need.purpose === "state" || need.withUnchanged) return byMoment;
  const [first, last] = byMoment;
  const isUnchanged = (resource: string): boolean =>
    (first?.get(resource)?.position ?? 0) === (last?.get(resource)?.position ?? 0);
  return byMoment.map((of) => new Map([...of].filter(([resource]) => !isUnchanged(resource))));
}

export function openReadCluster(places: readonly PlacesByResource[]): ReadCluster {
  return {
    places,
    tables: places.map(() => new Map()),
    pinned: new Set(),
    loading: new Map(),
    bases: new Map(),
    restores: new Map(),
    deleted: new Map(),
    deletes: undefined,
    deletedTables: new Map(),
    deletions: new Map(),
    pendingCount: undefined,
  };
}

/** Adds a complete, pinned table to the moments that have its position. */
export function takeKind(held: ReadCluster, kind: PastKind): void {
  held.pinned.add(kind);
  for (const [at, places] of held.places.entries())
    if (places.get(kind.resource)?.position === kind.position) held.tables[at]?.set(kind.resource, kind.table);
}

/** Whether the read has tables in memory that are not the present ones. */
export function holdsTables({ clusters }: PastRead): boolean {
  for (const { pinned, loading, bases, deleted } of clusters.values())
    if (pinned.size + loading.size + bases.size + deleted.size > 0) return true;
  return false;
}
