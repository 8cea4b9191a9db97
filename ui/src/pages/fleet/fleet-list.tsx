// SPDX-License-Identifier: Apache-2.0
import { useNavigate } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useMemo } from "react";
import { useKey } from "../../frame/keys.ts";
import { useWidth } from "../../parts/use-width.ts";
import type { FleetGroup } from "./arrange-fleet.ts";
import { ClusterLine, FleetTableHead } from "./cluster-line.tsx";
import { ClusterTile } from "./cluster-tile.tsx";
import styles from "./fleet-list.module.css";
import { type FleetRow, rowHeights, toFleetRows, walkOrder } from "./fleet-rows.ts";
import type { FleetSearch } from "./fleet-search.ts";
import { GroupHeader } from "./group-header.tsx";

/** A tile is at least so wide, with its gap. */
const tileWidth = 212;

/** The groups as tiles or as a table. Only what is in sight is drawn, so a thousand clusters cost what a screen does. */
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
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const row = rows[index];
          return row === undefined ? null : (
            <div key={key} className={styles["row"]} style={{ transform: `translateY(${start}px)` }}>
              <RowOf row={row} {...{ columnCount, chosen, search, foldedNames }} onFold={fold} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

function RowOf({
  row,
  columnCount,
  chosen,
  search,
  foldedNames,
  onFold,
}: {
  readonly row: FleetRow;
  readonly columnCount: number;
  readonly chosen: string | undefined;
  readonly search: FleetSearch;
  readonly foldedNames: ReadonlySet<string>;
  readonly onFold: (name: string) => void;
}): ReactNode {
  switch (row.kind) {
    case "group":
      return (
        <GroupHeader
          group={row.group}
          field={search.group ?? "region"}
          isFolded={foldedNames.has(row.group.name)}
          onFold={() => onFold(row.group.name)}
        />
      );
    case "tiles":
      return (
        <div className={styles["tiles"]} style={{ gridTemplateColumns: `repeat(${columnCount}, minmax(0, 1fr))` }}>
          {row.clusters.map((cluster) => (
            <ClusterTile key={cluster.id} cluster={cluster} isChosen={cluster.id === chosen} />
          ))}
        </div>
      );
    case "cluster":
      return <ClusterLine cluster={row.cluster} isChosen={row.cluster.id === chosen} />;
  }
}

/** j and k open the next and the one before, Esc closes; the list follows. */
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
  useKey("k", "Cluster before", () => step(-1));
}

function holds(row: FleetRow, id: string): boolean {
  if (row.kind === "group") return false;
  return row.kind === "cluster" ? row.cluster.id === id : row.clusters.some((cluster) => cluster.id === id);
}
