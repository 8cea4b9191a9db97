// SPDX-License-Identifier: Apache-2.0
// The same object in every cluster that a subject may ask.
import type { Row } from "../../model/rows/row.ts";
import { compareUtf8 } from "../../model/text.ts";
import { isVisible } from "../../rbac/visibility.ts";
import type { ReadableFleet, VisibilityOf } from "../relations/visible-cluster.ts";
import { VisibleTable } from "../relations/visible-table.ts";

/** The key of an object without its cluster. */
export interface ComparedKey {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/** Orders by resource, namespace and name, each bytewise. */
export function compareComparedKeys(a: ComparedKey, b: ComparedKey): number {
  return compareUtf8(a.resource, b.resource) || compareUtf8(a.namespace, b.namespace) || compareUtf8(a.name, b.name);
}

/** Which clusters are compared, and as which subject. */
export interface ComparisonScope {
  readonly visibilityOf: VisibilityOf;
  /** The clusters that the subject may know of. */
  readonly clusters: readonly string[];
  /** Whether the index has all objects of a resource in a cluster. If not, an absent row proves nothing (L4). */
  readonly isComplete: (cluster: string, resource: string) => boolean;
}

/**
 * One object in one cluster:
 * - a row: it is there.
 * - `missing`: it is not there, and the subject would see it.
 * - `unknown`: the subject would see it, and the index does not have all objects of the resource.
 * - `noAccess`: the subject would not see it. Whether it is there makes no difference.
 */
export type ObjectPresence = Row | "missing" | "unknown" | "noAccess";

/** Clusters that are read between two yields: about 1 ms of work. */
const clustersPerSlice = 128;

/** Reads one object in every cluster of the scope, in bytewise order of clusters. Clusters are read one after another. */
export function* readPresence(
  fleet: ReadableFleet,
  scope: ComparisonScope,
  key: ComparedKey,
): Generator<void, ReadonlyMap<string, ObjectPresence>, undefined> {
  const found = new Map<string, ObjectPresence>();
  for (const cluster of [...scope.clusters].sort(compareUtf8)) {
    found.set(cluster, presenceIn(fleet, scope, cluster, key));
    if (found.size % clustersPerSlice === 0) yield;
  }
  return found;
}

function presenceIn(
  fleet: ReadableFleet,
  { visibilityOf, isComplete }: ComparisonScope,
  cluster: string,
  { resource, namespace, name }: ComparedKey,
): ObjectPresence {
  const visibility = visibilityOf(cluster, resource);
  if (!isVisible(visibility, namespace, name)) return "noAccess";
  const table = fleet.get(cluster)?.tables.get(resource);
  const visible = table === undefined ? undefined : new VisibleTable({ resource, number: 0, table, visibility });
  const row = visible?.find(namespace, name);
  if (visible !== undefined && row !== undefined) return visible.read(row);
  return isComplete(cluster, resource) ? "missing" : "unknown";
}
