// SPDX-License-Identifier: Apache-2.0
// What is in trouble in a cluster: unhealthy or degraded, it does not do its work, or part of it (PG24).
import type { Row } from "../../model/row.ts";
import { statusRank } from "../../model/status.ts";
import type { Picture } from "../fleet/picture.ts";
import { inGroups, maxMessageChars, rowChars } from "../fleet-services/bounded-groups.ts";
import { maxTroubledRowCount } from "./page-limits.ts";

/** A row in trouble, with the kind that it is of. */
export interface TroubledRow {
  readonly resource: string;
  readonly kind: string;
  readonly row: Row;
}

/** How many of one kind are in trouble. */
export interface TroubleCount {
  readonly resource: string;
  readonly kind: string;
  readonly count: number;
}

/** Kinds in trouble, in order of their names. */
export function countTrouble(picture: Picture, cluster: string): readonly TroubleCount[] {
  const counts: TroubleCount[] = [];
  for (const { resource, kind, rowCount } of picture.kinds(cluster)) {
    if (rowCount === 0) continue;
    const { unhealthy, degraded } = picture.statusCounts(cluster, resource);
    if (unhealthy + degraded > 0) counts.push({ resource, kind, count: unhealthy + degraded });
  }
  return counts.sort((a, b) => (a.resource < b.resource ? -1 : 1));
}

/** The worst rows of these kinds, at most 500 and of bounded size together; those of one status by kind and key. */
export function listTrouble(picture: Picture, cluster: string, kinds: readonly TroubleCount[]): readonly TroubledRow[] {
  const request = { status: "degraded", limit: maxTroubledRowCount } as const;
  const rows = kinds.flatMap(({ resource, kind }) =>
    picture.worstRows(cluster, resource, request).map((row) => ({ resource, kind, row })),
  );
  // Kinds come in order and so do their rows: a sort that keeps the order of equals has to look at the status only.
  const worst = rows.sort((a, b) => statusRank(a.row.status) - statusRank(b.row.status));
  const bounds = {
    maxCount: maxTroubledRowCount,
    maxSize: maxMessageChars,
    sizeOf: ({ row }: TroubledRow) => rowChars(row),
  };
  const [first = []] = inGroups(worst, bounds);
  return first;
}
