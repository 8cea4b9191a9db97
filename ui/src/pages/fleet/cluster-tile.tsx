// SPDX-License-Identifier: Apache-2.0
import { memo, type ReactNode } from "react";
import type { FleetCluster } from "../../../../src/gen/flotilla/page/v1/page_pb.ts";
import { Age } from "../../parts/age.tsx";
import { MiddleCut } from "../../parts/middle-cut.tsx";
import { StateShape } from "../../parts/state-shape.tsx";
import { Strip } from "../../parts/strip.tsx";
import { connectionWords, shownState } from "../../words/connection-words.ts";
import { countWords } from "../../words/count-words.ts";
import { dataAtMs } from "../../words/incident-words.ts";
import { unhealthyCount } from "./arrange-fleet.ts";
import { ClusterLink } from "./cluster-link.tsx";
import styles from "./cluster-tile.module.css";

/**
 * One cluster in about 200 by 84 pixels: name, what is abnormal, 24 hours. Rendered again only when the cluster
 * changed.
 */
export const ClusterTile = memo(function ClusterTile({
  cluster,
  isChosen,
  searchText = "",
}: {
  readonly cluster: FleetCluster;
  readonly isChosen: boolean;
  readonly searchText?: string;
}): ReactNode {
  const state = shownState(cluster.connection);
  const isStale = connectionWords(state).isTrouble || state === "catchingUp";
  const progress = cluster.followedKindCount === 0 ? 0 : cluster.caughtUpKindCount / cluster.followedKindCount;
  return (
    <ClusterLink
      id={cluster.id}
      state={state}
      isChosen={isChosen}
      searchText={searchText}
      className={`${styles["tile"]} ${styles[state]} ${isStale ? styles["aged"] : ""}`}
    >
      <span className={styles["head"]}>
        <StateShape state={state} progress={progress} isPaused={cluster.isPaused} />
        <MiddleCut text={cluster.id} />
        <span className={styles["version"]}>{shortVersion(cluster.kubernetesVersion)}</span>
      </span>
      <span className={styles["facts"]}>
        <StateFact cluster={cluster} />
        <ObjectFact cluster={cluster} />
      </span>
      <Strip codes={cluster.strip} />
    </ClusterLink>
  );
});

/** The connection state in words; hidden text only for a cluster that is live and stable. */
function StateFact({ cluster }: { readonly cluster: FleetCluster }): ReactNode {
  const { connection } = cluster;
  const state = shownState(connection);
  const { word } = connectionWords(state);
  if (connection === undefined || (state === "live" && !cluster.isPaused && !connection.isFlapping)) {
    return <span className="hidden-text">{word}</span>;
  }
  const dataMs = connectionWords(state).isTrouble ? dataAtMs(connection) : undefined;
  return (
    <span className={styles["state"]}>
      {cluster.isPaused && state !== "paused" ? `paused, ${word}` : word}
      {state === "catchingUp" && cluster.followedKindCount > 0
        ? `, ${cluster.caughtUpKindCount} of ${cluster.followedKindCount} kinds`
        : ""}
      {dataMs !== undefined && <Age atMs={dataMs} prefix=", " isAlways />}
      {connection.isFlapping && ", flapping"}
    </span>
  );
}

function ObjectFact({ cluster }: { readonly cluster: FleetCluster }): ReactNode {
  const { objects } = cluster;
  if (objects === undefined) return null;
  const unhealthy = unhealthyCount(cluster);
  // Without its API server every kind fails; the state already shows that.
  const isLost = shownState(cluster.connection) === "disconnected";
  const failing = isLost ? 0 : objects.failingKinds.length;
  return (
    <>
      {unhealthy > 0 && <span className={styles["unhealthy"]}>{countWords(unhealthy)} unhealthy</span>}
      {failing > 0 && <span className={styles["failing"]}>{countWords(failing, "kind fails", "kinds fail")}</span>}
      <span>{countWords(Number(objects.rowCount))} obj</span>
    </>
  );
}

/** "v1.36.3+k3s1" as "1.36". */
function shortVersion(version: string): string {
  return /^v?(\d+\.\d+)/.exec(version)?.[1] ?? version;
}
