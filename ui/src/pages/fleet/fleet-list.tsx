// SPDX-License-Identifier: Apache-2.0
import { useNavigate, useRouterState } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type CSSProperties, type ReactNode, useEffect, useMemo } from "react";
import { useKey } from "../../frame/keys.ts";
import { useWidth } from "../../parts/use-width.ts";
import type { FleetGroup } from "./arrange-fleet.ts";
import { ClusterLine, FleetTableHead } from "./cluster-line.tsx";
import { ClusterTile } from "./cluster-tile.tsx";
import styles from "./fleet-list.module.css";
import type { FleetSearch } from "./fleet-search.ts";
import { type FleetRow, rowHeights, toFleetRows, walkOrder } from "./fleet-table-rows.ts";
import { GroupHeader } from "./group-header.tsx";

/** Minimum width of a tile with its gap, in pixels. */
const tileWidth = 212;

/** Gap between two tiles of a line, in pixels; the gap between lines is part of their height. */
const gap = 8;

/**
 * The groups as tiles or as a table. Only visible rows are rendered, so a thousand clusters cost as much as a screen.
 */
export function FleetList({
  groups,
  search,
  chosen,
  onChange,
}: {
  readonly groups: readonly FleetGroup[];
  readonly search: FleetSearch;
  readonly chosen: string | undefined;
  readonly onChange: (some: FleetSearch) => void;
}): ReactNode {
  const [setScroller, scroller, width] = useWidth<HTMLDivElement>();
  const searchText = useRouterState({ select: ({ location }) => location.searchStr });
  const isTable = search.as === "table";
  const columnCount = Math.max(1, Math.floor(width / tileWidth));
  const foldedNames = useMemo(() => new Set(search.folded ?? []), [search.folded]);
  const rows = useMemo(
    () => toFleetRows(groups, { columnCount, foldedNames, isTable }),
    [groups, columnCount, foldedNames, isTable],
  );
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller,
    estimateSize: (index) => rowHeights[rows[index]?.kind ?? "cluster"],
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 6,
  });
  useEffect(() => virtual.measure(), [virtual, rows]);
  useWalk(rows, chosen, (index) => virtual.scrollToIndex(index));

  const fold = (name: string): void => {
    const next = new Set(foldedNames);
    if (!next.delete(name)) next.add(name);
    onChange({ folded: next.size === 0 ? undefined : [...next] });
  };

  /**
   * Every tile, line and header is a child of the canvas with its own key, so that one that moves is not rendered
   * again.
   */
  const draw = (row: FleetRow | undefined, start: number): ReactNode => {
    switch (row?.kind) {
      case "group":
        return (
          <div key={row.key} className={styles["row"]} style={{ transform: `translateY(${start}px)` }}>
            <GroupHeader
              group={row.group}
              field={search.group ?? "region"}
              isFolded={foldedNames.has(row.group.name)}
              onFold={() => fold(row.group.name)}
            />
          </div>
        );
      case "cluster":
        return (
          <div key={row.key} className={styles["row"]} style={{ transform: `translateY(${start}px)` }}>
            <ClusterLine cluster={row.cluster} isChosen={row.cluster.id === chosen} searchText={searchText} />
          </div>
        );
      case "tiles":
        return row.clusters.map((cluster, column) => (
          <div key={cluster.id} className={styles["tile"]} style={tilePlace({ column, columnCount, start })}>
            <ClusterTile cluster={cluster} isChosen={cluster.id === chosen} searchText={searchText} />
          </div>
        ));
      case undefined:
        return null;
    }
  };

  if (rows.length === 0) {
    return (
      <p className={styles["none"]}>
        No cluster matches <code>{search.filter}</code>.{" "}
        <button type="button" onClick={() => onChange({ filter: undefined })}>
          Show all
        </button>
      </p>
    );
  }
  return (
    <div className={styles["scroller"]} ref={setScroller} tabIndex={-1}>
      {isTable && <FleetTableHead search={search} onChange={onChange} />}
      <div className={styles["canvas"]} style={{ blockSize: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().flatMap(({ index, start }) => draw(rows[index], start))}
      </div>
    </div>
  );
}

/** The position of a tile: percentages of a translation refer to the tile's own width. */
function tilePlace({
  column,
  columnCount,
  start,
}: {
  readonly column: number;
  readonly columnCount: number;
  readonly start: number;
}): CSSProperties {
  return {
    inlineSize: `calc((100% - ${(columnCount - 1) * gap}px) / ${columnCount})`,
    transform: `translate(calc(${column} * (100% + ${gap}px)), ${start}px)`,
  };
}

/** j and k open the next and the previous cluster, Esc closes it; the list scrolls along. */
function useWalk(rows: readonly FleetRow[], chosen: string | undefined, show: (index: number) => void): void {
  const navigate = useNavigate();
  const step = (by: number): void => {
    const order = walkOrder(rows);
    const at = chosen === undefined ? -1 : order.indexOf(chosen);
    const next = order[at === -1 ? 0 : Math.min(Math.max(at + by, 0), order.length - 1)];
    if (next === undefined) return;
    void navigate({ to: "/clusters/$name", params: { name: next }, search: (before) => before });
    show(rows.findIndex((row) => holds(row, next)));
  };
  useKey("j", "Next cluster", () => step(1));
  useKey("k", "Previous cluster", () => step(-1));
}

function holds(row: FleetRow, id: string): boolean {
  if (row.kind === "group") return false;
  return row.kind === "cluster" ? row.cluster.id === id : row.clusters.some((cluster) => cluster.id === id);
}
