// SPDX-License-Identifier: Apache-2.0
import { Link } from "@tanstack/react-router";
import { memo, type ReactNode } from "react";
import type { FleetCluster } from "../../../../src/gen/flotilla/page/v1/page_pb.ts";
import { Age } from "../../parts/age.tsx";
import { MiddleCut } from "../../parts/middle-cut.tsx";
import { StateShape } from "../../parts/state-shape.tsx";
import { Strip } from "../../parts/strip.tsx";
import { connectionWords, parseConnectionState } from "../../words/connection-words.ts";
import { countWords } from "../../words/count-words.ts";
import { unhealthyCount } from "./arrange-fleet.ts";
import styles from "./cluster-tile.module.css";

/** One cluster in about 200 by 84 pixels: name, what is not normal, 24 hours. Drawn again only when the cluster changed. */
export const ClusterTile = memo(function ClusterTile({
  cluster,
  isChosen,
}: {
  readonly cluster: FleetCluster;
  readonly isChosen: boolean;
}): ReactNode {
  const state = parseConnectionState(cluster.connection?.state ?? "");
  const isStale = connectionWords(state).isTrouble || state === "catchingUp";
  const progress = cluster.followedKindCount === 0 ? 0 : cluster.caughtUpKindCount / cluster.followedKindCount;
  return (
    <Link
      to="/clusters/$name"
      params={{ name: cluster.id }}
      search={(before) => before}
      className={`${styles["tile"]} ${styles[state]} ${isStale ? styles["aged"] : ""}`}
      data-cluster={cluster.id}
      data-state={state}
      aria-current={isChosen ? "true" : undefined}
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
    </Link>
  );
});

/** What there is to say of the connection; nothing of one that is live. */
function StateFact({ cluster }: { readonly cluster: FleetCluster }): ReactNode {
  const { connection } = cluster;
  const state = parseConnectionState(connection?.state ?? "");
  const { word } = connectionWords(state);
  if (connection === undefined || (state === "live" && !cluster.isPaused)) {
    return <span className="hidden-text">{word}</span>;
  }
  const isAged = connectionWords(state).isTrouble && connection.seenMs !== undefined;
  return (
    <span className={styles["state"]}>
      {cluster.isPaused ? `paused, ${word}` : word}
      {state === "catchingUp" && cluster.followedKindCount > 0
        ? `, ${cluster.caughtUpKindCount} of ${cluster.followedKindCount} kinds`
        : ""}
      {isAged && <Age atMs={connection.seenMs ?? 0} prefix=", " isAlways />}
    </span>
  );
}

function ObjectFact({ cluster }: { readonly cluster: FleetCluster }): ReactNode {
  const { objects } = cluster;
  if (objects === undefined) return null;
  const unhealthy = unhealthyCount(cluster);
  const failing = objects.failingKinds.length;
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
