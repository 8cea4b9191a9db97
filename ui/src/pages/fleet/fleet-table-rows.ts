// SPDX-License-Identifier: Apache-2.0
import type { FleetCluster } from "../../../../src/gen/flotilla/page/v1/page_pb.ts";
import type { FleetGroup } from "./arrange-fleet.ts";

/** One rendered line of the list: a group header, a line of tiles, or one cluster of the table. */
export type FleetRow =
  | { readonly kind: "group"; readonly key: string; readonly group: FleetGroup }
  | { readonly kind: "tiles"; readonly key: string; readonly clusters: readonly FleetCluster[] }
  | { readonly kind: "cluster"; readonly key: string; readonly cluster: FleetCluster };

/** Heights in pixels, as in the style sheets: a tile of 84 and a gap of 8; a table line; a group header. */
export const rowHeights: Readonly<Record<FleetRow["kind"], number>> = { group: 44, tiles: 92, cluster: 32 };

/** The lines of the groups; a folded group has only its header. A single group without a name has no header. */
export function toFleetRows(
  groups: readonly FleetGroup[],
  {
    columnCount,
    foldedNames,
    isTable,
  }: {
    readonly columnCount: number;
    readonly foldedNames: ReadonlySet<string>;
    readonly isTable: boolean;
  },
): readonly FleetRow[] {
  const rows: FleetRow[] = [];
  const isPlain = groups.length === 1 && groups[0]?.name === "";
  for (const group of groups) {
    if (!isPlain) rows.push({ kind: "group", key: `group ${group.name}`, group });
    if (!isPlain && foldedNames.has(group.name)) continue;
    if (isTable) {
      for (const cluster of group.clusters) rows.push({ kind: "cluster", key: cluster.id, cluster });
      continue;
    }
    for (let from = 0; from < group.clusters.length; from += columnCount) {
      const clusters = group.clusters.slice(from, from + columnCount);
      rows.push({ kind: "tiles", key: `tiles ${group.name} ${from}`, clusters });
    }
  }
  return rows;
}

/** The cluster names in rendered order, for stepping with j and k. */
export function walkOrder(rows: readonly FleetRow[]): readonly string[] {
  return rows.flatMap((row) => {
    if (row.kind === "group") return [];
    return row.kind === "cluster" ? [row.cluster.id] : row.clusters.map(({ id }) => id);
  });
}
