// SPDX-License-Identifier: Apache-2.0
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { FleetCluster } from "../../../../src/gen/flotilla/page/v1/page_pb.ts";
import { useHop } from "../../app/page-context.ts";
import { StateShape } from "../../parts/state-shape.tsx";
import { connectionStates, connectionWords } from "../../words/connection-words.ts";
import { countWords } from "../../words/count-words.ts";
import { countStates, countUnhealthy } from "./arrange-fleet.ts";
import styles from "./coverage-line.module.css";
import { filterWord } from "./fleet-filter.ts";

/** "297 of 300 clusters live, 2 stale, 1 lost": each part links to those clusters. */
export function CoverageLine({ clusters }: { readonly clusters: readonly FleetCluster[] }): ReactNode {
  const counts = countStates(clusters);
  const unhealthy = countUnhealthy(clusters);
  // Without the hub the current state is unknown.
  const isHubOpen = useHop().kind === "open";
  const others = connectionStates.filter((state) => state !== "live" && counts[state] > 0);
  return (
    <p className={styles["line"]} aria-live="polite">
      <Link to="/" search={(before) => ({ ...before, filter: undefined })} className={styles["part"]}>
        <StateShape state={others.length === 0 && clusters.length > 0 ? "live" : (others[0] ?? "neverSeen")} />
        <span>
          <b>{countWords(counts.live)}</b> of {countWords(clusters.length, "cluster")}{" "}
          {isHubOpen ? "live" : "were live"}
        </span>
      </Link>
      {others.map((state) => (
        <Link
          key={state}
          to="/"
          search={(before) => ({ ...before, filter: filterWord("state", connectionWords(state).word) })}
          className={`${styles["part"]} ${styles[state]}`}
        >
          <StateShape state={state} />
          {countWords(counts[state])} {connectionWords(state).countWord}
        </Link>
      ))}
      {unhealthy.objects > 0 && (
        <span className={`${styles["part"]} ${styles["unhealthy"]}`} data-unhealthy={unhealthy.objects}>
          {countWords(unhealthy.objects, "unhealthy object")} in {countWords(unhealthy.clusters, "cluster")}
        </span>
      )}
    </p>
  );
}
