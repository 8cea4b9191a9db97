// SPDX-License-Identifier: Apache-2.0
import { statusRank } from "../../model/status.ts";
import { inGroups, maxMessageChars, rowChars } from "../rows/bounded-groups.ts";
import { definitionResource, toDefinedNames } from "../rows/defined-names.ts";
import type { ClusterSummary, FleetKey, KeyStatus, WorstRow, WorstRowsRequest } from "../rows/fleet-reader.ts";
import type { MemoryFleetRows } from "../rows/memory-fleet-rows.ts";

/** Reads of rows that are answered in one step. Nothing of a cluster's status is shown before it may be (L2). */
export class RowReads {
  readonly #tables: MemoryFleetRows;

  constructor(tables: MemoryFleetRows) {
    this.#tables = tables;
  }

  /** The status of rows is left out until they are shown. */
  summarize(cluster: string): ClusterSummary {
    const tables = this.#tables;
    const areRowsShown = tables.isRbacComplete(cluster);
    const kinds = areRowsShown
      ? tables.summarizeKinds(cluster)
      : tables.kinds(cluster).map((kind) => ({ ...kind, statusCounts: undefined, troubledSinceMs: undefined }));
    return { areRowsShown, rowCount: kinds.reduce((sum, { rowCount }) => sum + rowCount, 0), kinds };
  }

  listWorst(cluster: string, request: WorstRowsRequest): readonly WorstRow[] {
    const tables = this.#tables;
    if (!tables.isRbacComplete(cluster)) return [];
    const found = [...tables.kinds(cluster)]
      .sort((a, b) => (a.resource < b.resource ? -1 : 1))
      .flatMap(({ resource, kind }) =>
        tables.worstRows(cluster, resource, request).map((row) => ({ resource, kind, row })),
      )
      // Kinds and their rows are already sorted and the sort is stable, so it compares only the status.
      .sort((a, b) => statusRank(a.row.status) - statusRank(b.row.status));
    const sizeOf = ({ row }: (typeof found)[number]): number => rowChars(row);
    const [first = []] = inGroups(found, { maxCount: request.limit, maxSize: maxMessageChars, sizeOf });
    return first.map((each) => ({
      ...each,
      troubledSinceMs: tables.troubledSinceMs(cluster, each.resource, each.row),
    }));
  }

  getStatuses(keys: readonly FleetKey[]): readonly (KeyStatus | undefined)[] {
    const tables = this.#tables;
    return keys.map(({ cluster, resource, ...key }) => {
      const row = tables.isRbacComplete(cluster) ? tables.getRow(cluster, resource, key) : undefined;
      return row === undefined ? undefined : { uid: row.uid, status: row.status };
    });
  }

  listDefinedNames(cluster: string): ReadonlyMap<string, readonly string[]> {
    return toDefinedNames(this.#tables.snapshot(cluster, definitionResource)?.rows() ?? []);
  }
}
