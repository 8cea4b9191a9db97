// SPDX-License-Identifier: Apache-2.0

import type { FleetTables } from "../../index/fold/fleet-tables.ts";
import { readRow } from "../../index/table/read-row.ts";
import type { Row } from "../../model/rows/row.ts";
import { type Status, statuses, statusRank } from "../../model/status.ts";
import { isVisible, type Visibility } from "../../rbac/visibility.ts";
import { inGroups, maxMessageChars, rowChars } from "../rows/bounded-groups.ts";
import { definitionResource, toDefinedNames } from "../rows/defined-names.ts";
import type {
  ClusterSummary,
  FleetKey,
  KeyStatus,
  KindSummary,
  RowChange,
  WorstRow,
  WorstRowsRequest,
} from "../rows/fleet-reader.ts";
import type { FleetAccess } from "./fleet-access.ts";
import type { Viewer } from "./row-viewer.ts";
import { selectVisible } from "./select-visible.ts";

/** Reads of rows that are answered in one step, over what the viewer may see (L17). */
export class RowReads {
  readonly #tables: FleetTables;
  readonly #access: FleetAccess;

  constructor(tables: FleetTables, access: FleetAccess) {
    this.#tables = tables;
    this.#access = access;
  }

  /** Before the cluster's rows are shown, only the hub learns how many there are. */
  summarize(viewer: Viewer, cluster: string): ClusterSummary {
    const areRowsShown = viewer.kind === "hub" ? this.#tables.isRbacComplete(cluster) : this.#access.isShown(cluster);
    const kinds = this.#tables
      .summarizeKinds(cluster)
      .map((kind) => this.#summarizeKind(viewer, cluster, { ...kind, isWhole: true }));
    const accessKey = this.#access.accessKeyOf(viewer, cluster);
    return { areRowsShown, rowCount: kinds.reduce((sum, { rowCount }) => sum + rowCount, 0), kinds, accessKey };
  }

  /** Undefined if the viewer's access key is another one than that of the request. */
  listWorst(viewer: Viewer, cluster: string, request: WorstRowsRequest): readonly WorstRow[] | undefined {
    const { accessKey } = request;
    if (accessKey !== undefined && this.#access.accessKeyOf(viewer, cluster) !== accessKey) return undefined;
    const found = [...this.#tables.kinds(cluster)]
      .sort((a, b) => (a.resource < b.resource ? -1 : 1))
      .flatMap(({ resource, kind }) =>
        this.#worstRows(viewer, cluster, resource, request).map((row) => ({ resource, kind, row })),
      )
      // Kinds and their rows are already sorted and the sort is stable, so it compares only the status.
      .sort((a, b) => statusRank(a.row.status) - statusRank(b.row.status));
    const sizeOf = ({ row }: (typeof found)[number]): number => rowChars(row);
    const [first = []] = inGroups(found, { maxCount: request.limit, maxSize: maxMessageChars, sizeOf });
    return first.map((each) => ({
      ...each,
      troubledSinceMs: this.#tables.troubledSinceMs(cluster, each.resource, each.row),
    }));
  }

  getStatuses(viewer: Viewer, keys: readonly FleetKey[]): readonly (KeyStatus | undefined)[] {
    return keys.map(({ cluster, resource, namespace, name }) => {
      const visibility = this.#access.visibilityOf(viewer, cluster, resource);
      const row = isVisible(visibility, namespace, name)
        ? this.#tables.getRow(cluster, resource, { namespace, name })
        : undefined;
      return row === undefined ? undefined : { uid: row.uid, status: row.status };
    });
  }

  /** The changes of objects whose changes the viewer may watch. */
  filterChanges(viewer: Viewer, cluster: string, changes: readonly RowChange[]): readonly RowChange[] {
    return changes.filter(({ resource, namespace, name }) =>
      isVisible(this.#access.visibilityOf(viewer, cluster, resource, "live"), namespace, name),
    );
  }

  listDefinedNames(cluster: string): ReadonlyMap<string, readonly string[]> {
    return toDefinedNames(this.#tables.snapshot(cluster, definitionResource)?.rows() ?? []);
  }

  #summarizeKind(viewer: Viewer, cluster: string, kind: KindSummary): KindSummary {
    const visibility = this.#access.visibilityOf(viewer, cluster, kind.resource);
    if (visibility.kind === "all") return kind;
    if (viewer.kind === "hub") return { ...kind, statusCounts: undefined, troubledSinceMs: undefined };
    const { rowCount, statusCounts, troubledSinceMs } = this.#countVisible(cluster, kind.resource, visibility);
    return {
      ...kind,
      rowCount,
      statusCounts: this.#access.isShown(cluster) ? statusCounts : undefined,
      troubledSinceMs,
      isWhole: false,
    };
  }

  #countVisible(
    cluster: string,
    resource: string,
    visibility: Visibility,
  ): Pick<KindSummary, "rowCount" | "troubledSinceMs"> & { readonly statusCounts: Readonly<Record<Status, number>> } {
    const table = this.#tables.get(cluster)?.tables.get(resource);
    const rows = table === undefined ? [] : selectVisible(table, visibility);
    const counts = new Uint32Array(statuses.length);
    let troubledSinceMs: number | undefined;
    for (const row of rows) {
      const rank = table?.statuses.values[row] ?? 0;
      counts[rank] = (counts[rank] ?? 0) + 1;
      const sinceMs = table?.troubledSinceMs(row);
      if (sinceMs !== undefined && sinceMs < (troubledSinceMs ?? Number.POSITIVE_INFINITY)) troubledSinceMs = sinceMs;
    }
    const statusCounts = Object.fromEntries(statuses.map((status, rank) => [status, counts[rank] ?? 0]));
    return { rowCount: rows.length, statusCounts: statusCounts as Record<Status, number>, troubledSinceMs };
  }

  #worstRows(viewer: Viewer, cluster: string, resource: string, request: WorstRowsRequest): readonly Row[] {
    const visibility = this.#access.visibilityOf(viewer, cluster, resource);
    if (visibility.kind === "all") return this.#tables.worstRows(cluster, resource, request);
    const table = this.#tables.get(cluster)?.tables.get(resource);
    if (table === undefined) return [];
    const wanted = statusRank(request.status);
    const ranks = table.statuses.values;
    const troubled = selectVisible(table, visibility).filter((row) => (ranks[row] ?? 0) <= wanted);
    const places = new Map(Array.from(troubled, (row) => [row, 0]));
    for (const [place, row] of table.order().entries()) if (places.has(row)) places.set(row, place);
    return Array.from(troubled)
      .sort((a, b) => (ranks[a] ?? 0) - (ranks[b] ?? 0) || (places.get(a) ?? 0) - (places.get(b) ?? 0))
      .slice(0, request.limit)
      .map((row) => readRow(table, row));
  }
}
