// SPDX-License-Identifier: Apache-2.0
import type { Row } from "../../model/rows/row.ts";
import { type Status, statuses, statusRank } from "../../model/status.ts";
import { compareUtf8 } from "../../model/text.ts";
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
import type { MemoryFleetRows } from "../rows/memory-fleet-rows.ts";
import type { FleetAccess } from "./fleet-access.ts";
import type { Viewer } from "./viewer.ts";

/** Reads of rows that are answered in one step, over what the viewer may see (L17). */
export class RowReads {
  readonly #tables: MemoryFleetRows;
  readonly #access: FleetAccess;

  constructor(tables: MemoryFleetRows, access: FleetAccess) {
    this.#tables = tables;
    this.#access = access;
  }

  /** Before the cluster's rows are shown, only the hub learns how many there are. */
  summarize(viewer: Viewer, cluster: string): ClusterSummary {
    const areRowsShown = viewer.kind === "hub" ? this.#tables.isRbacComplete(cluster) : this.#access.isShown(cluster);
    const kinds = this.#tables.summarizeKinds(cluster).map((kind) => this.#summarizeKind(viewer, cluster, kind));
    return { areRowsShown, rowCount: kinds.reduce((sum, { rowCount }) => sum + rowCount, 0), kinds };
  }

  listWorst(viewer: Viewer, cluster: string, request: WorstRowsRequest): readonly WorstRow[] {
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
    const statusCounts = Object.fromEntries(statuses.map((status) => [status, 0])) as Record<Status, number>;
    let [rowCount, troubledSinceMs]: [number, number | undefined] = [0, undefined];
    for (const row of this.#visibleRows(cluster, resource, visibility)) {
      rowCount += 1;
      statusCounts[row.status] += 1;
      const sinceMs = this.#tables.troubledSinceMs(cluster, resource, row);
      if (sinceMs !== undefined && sinceMs < (troubledSinceMs ?? Number.POSITIVE_INFINITY)) troubledSinceMs = sinceMs;
    }
    return { rowCount, statusCounts, troubledSinceMs };
  }

  #worstRows(viewer: Viewer, cluster: string, resource: string, request: WorstRowsRequest): readonly Row[] {
    const visibility = this.#access.visibilityOf(viewer, cluster, resource);
    if (visibility.kind === "all") return this.#tables.worstRows(cluster, resource, request);
    const found = [...this.#visibleRows(cluster, resource, visibility)];
    return found
      .filter(({ status }) => statusRank(status) <= statusRank(request.status))
      .sort((a, b) => statusRank(a.status) - statusRank(b.status) || compareKeys(a, b))
      .slice(0, request.limit);
  }

  *#visibleRows(cluster: string, resource: string, visibility: Visibility): Generator<Row, void, undefined> {
    if (visibility.kind === "none") return;
    for (const row of this.#tables.snapshot(cluster, resource)?.rows() ?? [])
      if (isVisible(visibility, row.namespace, row.name)) yield row;
  }
}

function compareKeys(a: Row, b: Row): number {
  return compareUtf8(a.namespace, b.namespace) || compareUtf8(a.name, b.name);
}
