// SPDX-License-Identifier: Apache-2.0
import { memo, type ReactNode } from "react";
import type { FleetCluster } from "../../../../src/gen/flotilla/page/v1/page_pb.ts";
import { Age } from "../../parts/age.tsx";
import { MiddleCut } from "../../parts/middle-cut.tsx";
import { StateBadge } from "../../parts/state-badge.tsx";
import { Strip } from "../../parts/strip.tsx";
import { connectionWords, shownState } from "../../words/connection-words.ts";
import { countWords } from "../../words/count-words.ts";
import { dataAtMs } from "../../words/incident-words.ts";
import { unhealthyCount } from "./arrange-fleet.ts";
import styles from "./cluster-line.module.css";
import { ClusterLink } from "./cluster-link.tsx";
import type { FleetSearch } from "./fleet-search.ts";

const columns = [
  { sort: "name", title: "Cluster" },
  { sort: "worst", title: "State" },
  { sort: "region", title: "Region" },
  { sort: "lag", title: "Lag", isNumber: true },
  { sort: "objects", title: "Objects", isNumber: true },
  { sort: "", title: "Unhealthy", isNumber: true },
  { sort: "kubernetes", title: "Kubernetes" },
  { sort: "agent", title: "Agent" },
  { sort: "", title: "24 h" },
] as const;

/** The column headers; those of sortable columns are buttons. */
export function FleetTableHead({
  search,
  onChange,
}: {
  readonly search: FleetSearch;
  readonly onChange: (some: FleetSearch) => void;
}): ReactNode {
  const sort = search.sort ?? "worst";
  return (
    <div className={`${styles["line"]} ${styles["head"]}`}>
      {columns.map((column) => {
        if (column.sort === "") return <span key={column.title}>{column.title}</span>;
        const isChosen = sort === column.sort;
        const isDown = search.down === true;
        return (
          <button
            key={column.title}
            type="button"
            className={"isNumber" in column ? styles["number"] : ""}
            aria-pressed={isChosen}
            onClick={() =>
              onChange({
                sort: column.sort === "worst" ? undefined : column.sort,
                down: isChosen && !isDown ? true : undefined,
              })
            }
          >
            {column.title}
            {isChosen && <span aria-hidden="true">{isDown ? " ↓" : " ↑"}</span>}
          </button>
        );
      })}
    </div>
  );
}

/** One cluster as a line of the table. */
export const ClusterLine = memo(function ClusterLine({
  cluster,
  isChosen,
  searchText,
}: {
  readonly cluster: FleetCluster;
  readonly isChosen: boolean;
  readonly searchText: string;
}): ReactNode {
  const { connection, objects } = cluster;
  const state = shownState(connection);
  const unhealthy = unhealthyCount(cluster);
  const lag = connection?.lagSeconds ?? 0;
  const dataMs = connectionWords(state).isTrouble ? dataAtMs(connection) : undefined;
  return (
    <ClusterLink
      id={cluster.id}
      state={state}
      isChosen={isChosen}
      searchText={searchText}
      className={styles["line"] ?? ""}
    >
      <MiddleCut text={cluster.id} />
      <span className={styles["cell"]}>
        <StateBadge state={state} isPaused={cluster.isPaused}>
          {dataMs !== undefined && <Age atMs={dataMs} isAlways />}
          {connection?.sentence !== "" && <span className={styles["reason"]}>{connection?.sentence}</span>}
        </StateBadge>
      </span>
      <span className={styles["cell"]}>{cluster.region}</span>
      <span className={styles["number"]}>{lag > 0 ? `${lag} s` : ""}</span>
      <span className={styles["number"]}>{objects === undefined ? "" : countWords(Number(objects.rowCount))}</span>
      <span className={`${styles["number"]} ${styles["unhealthy"]}`}>{unhealthy > 0 ? countWords(unhealthy) : ""}</span>
      <span className={styles["cell"]}>{cluster.kubernetesVersion}</span>
      <span className={styles["cell"]}>{cluster.agentVersion}</span>
      <Strip codes={cluster.strip} />
    </ClusterLink>
  );
});
