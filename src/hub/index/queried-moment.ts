// SPDX-License-Identifier: Apache-2.0
import { kindOf, troubledSinceMs } from "../../index/query/find-object.ts";
import type { FoundRow, QueriedFleet } from "../../index/query/query-request.ts";
import type { DeletedFleet } from "../past/deleted-fleet.ts";
import type { FoundFleetRow } from "../rows/fleet-queries.ts";

/** The rows that a query is asked of. */
export interface QueriedMoment {
  readonly fleet: QueriedFleet;
  /** The past moment of the rows; undefined for the present. */
  readonly atMs: number | undefined;
  /** The deleted objects in `fleet`, and the moment since which they were deleted. */
  readonly deleted?: { readonly fleet: DeletedFleet; readonly sinceMs: number } | undefined;
}

/** A row of an answer, with its kind and times. */
export function toFoundRow({ fleet, deleted }: QueriedMoment, { cluster, resource, row }: FoundRow): FoundFleetRow {
  const key = { cluster, resource, namespace: row.namespace, name: row.name };
  const removedAtMs = deleted?.fleet.removedAtMs(key, row.uid);
  const holder = deleted === undefined || removedAtMs === undefined ? fleet : deleted.fleet;
  return {
    cluster,
    resource,
    kind: kindOf(holder, key),
    row,
    troubledSinceMs: troubledSinceMs(holder, key),
    ...(removedAtMs === undefined ? {} : { removedAtMs }),
  };
}
