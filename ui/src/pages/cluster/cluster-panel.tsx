// SPDX-License-Identifier: Apache-2.0
import { useNavigate, useParams } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { usePage, useView } from "../../app/page-context.ts";
import { useKey } from "../../frame/keys.ts";
import type { ViewRequest } from "../../link/link.ts";
import { Age } from "../../parts/age.tsx";
import { PanelHead } from "../../parts/panel-head.tsx";
import { StateBadge } from "../../parts/state-badge.tsx";
import { type ClusterPicture, clusterFold } from "../../views/cluster-fold.ts";
import { connectionWords, shownState } from "../../words/connection-words.ts";
import { dataAtMs } from "../../words/incident-words.ts";
import { ClusterActions } from "./cluster-actions.tsx";
import { ClusterFacts } from "./cluster-facts.tsx";
import styles from "./cluster-panel.module.css";
import { HistoryLines } from "./history-lines.tsx";
import { HopLine } from "./hop-line.tsx";
import { KindTable } from "./kind-table.tsx";
import { UnhealthyRows } from "./unhealthy-rows.tsx";

/** The details of one cluster's connection, beside the fleet. Each part appears when it arrives. */
export function ClusterPanel(): ReactNode {
  const { name } = useParams({ from: "/frame/fleet/clusters/$name" });
  const navigate = useNavigate();
  const close = (): void => void navigate({ to: "/", search: (before) => before });
  useKey("Escape", "Close the cluster", close);
  const wish = useMemo<ViewRequest>(() => ({ case: "cluster", value: { clusterId: name } }), [name]);
  const shown = useView(wish, clusterFold);
  return (
    <section className={styles["panel"]} aria-label={`Cluster ${name}`} data-panel={name}>
      <PanelHead onClose={close}>
        <span className="mono">{name}</span>
      </PanelHead>
      {shown.kind === "loading" && <p className={styles["quiet"]}>Loading this cluster.</p>}
      {shown.kind === "refused" && (
        <p role="alert" className={styles["quiet"]}>
          {shown.refusal.message}
        </p>
      )}
      {shown.kind === "shown" && <ClusterParts name={name} fleetRows={shown.value} />}
    </section>
  );
}

function ClusterParts({ name, fleetRows }: { readonly name: string; readonly fleetRows: ClusterPicture }): ReactNode {
  const { viewer } = usePage();
  const { cluster, hops, kinds, unhealthy, history, rates } = fleetRows;
  const connection = cluster?.connection;
  const state = shownState(connection);
  const dataMs = connectionWords(state).isTrouble ? dataAtMs(connection) : undefined;
  return (
    <>
      <p className={styles["state"]} aria-live="polite">
        <StateBadge state={state} isPaused={cluster?.isPaused ?? false}>
          {connection !== undefined && state !== "live" && (
            <Age
              atMs={state === "paused" ? (cluster?.pausedMs ?? connection.sinceMs) : connection.sinceMs}
              isAlways
              prefix="for "
            />
          )}
        </StateBadge>
        {connection?.sentence !== "" && <span>{connection?.sentence}</span>}
        {connection?.isFlapping === true && <span>Its connection is flapping.</span>}
        {dataMs !== undefined && <Age atMs={dataMs} prefix="Data is " suffix=" old." isAlways />}
      </p>
      {hops !== undefined && <HopLine hops={hops} />}
      {cluster !== undefined && viewer?.canChangeClusters === true && <ClusterActions cluster={cluster} />}
      {unhealthy !== undefined && <UnhealthyRows list={unhealthy} />}
      {kinds !== undefined && <KindTable clusterId={name} list={kinds} rates={rates} />}
      {history !== undefined && <HistoryLines history={history} />}
      {cluster !== undefined && <ClusterFacts cluster={cluster} />}
    </>
  );
}
