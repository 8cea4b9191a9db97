// SPDX-License-Identifier: Apache-2.0
// Unhealthy and degraded objects of a cluster (PG24).
import type { Row } from "../../../model/row.ts";
import { statusRank } from "../../../model/status.ts";
import { inGroups, maxMessageChars, rowChars } from "../../rows/bounded-groups.ts";
import type { FleetRows } from "../../rows/fleet-rows.ts";
import { maxTroubledRowCount } from "../page-limits.ts";

/** An unhealthy or degraded row, with its kind. */
export interface TroubledRow {
  readonly resource: string;
  readonly kind: string;
  readonly row: Row;
}

/** Number of unhealthy and degraded objects of one kind. */
export interface TroubleCount {
  readonly resource: string;
  readonly kind: string;
  readonly count: number;
}

/** Kinds with unhealthy or degraded objects, sorted by name. */
export function countTrouble(fleetRows: FleetRows, cluster: string): readonly TroubleCount[] {
  const counts: TroubleCount[] = [];
  for (const { resource, kind, rowCount } of fleetRows.kinds(cluster)) {
    if (rowCount === 0) continue;
    const { unhealthy, degraded } = fleetRows.statusCounts(cluster, resource);
    if (unhealthy + degraded > 0) counts.push({ resource, kind, count: unhealthy + degraded });
  }
  return counts.sort((a, b) => (a.resource < b.resource ? -1 : 1));
}

/** The worst rows of these kinds, within bounds of count and total size; sorted by status, then kind and key. */
export function listTrouble(
  fleetRows: FleetRows,
  cluster: string,
  kinds: readonly TroubleCount[],
): readonly TroubledRow[] {
  const request = { status: "degraded", limit: maxTroubledRowCount } as const;
  const rows = kinds.flatMap(({ resource, kind }) =>
    fleetRows.worstRows(cluster, resource, request).map((row) => ({ resource, kind, row })),
  );
  // Kinds and their rows are already sorted and the sort is stable, so it compares only the status.
  const worst = rows.sort((a, b) => statusRank(a.row.status) - statusRank(b.row.status));
  const bounds = {
    maxCount: maxTroubledRowCount,
    maxSize: maxMessageChars,
    sizeOf: ({ row }: TroubledRow) => rowChars(row),
  };
  const [first = []] = inGroups(worst, bounds);
  return first;
}
