// SPDX-License-Identifier: Apache-2.0
import { Outlet, useNavigate, useParams, useRouterState, useSearch } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { useFleet, useTitle } from "../../app/page-context.ts";
import { arrangeFleet } from "./arrange-fleet.ts";
import { CoverageLine } from "./coverage-line.tsx";
import { FleetControls } from "./fleet-controls.tsx";
import { FleetList } from "./fleet-list.tsx";
import styles from "./fleet-page.module.css";
import { type FleetSearch, toFleetLook } from "./fleet-search.ts";
import { Onboarding } from "./onboarding.tsx";

/** The fleet, with the open cluster beside it: details never replace the list. */
export function FleetPage(): ReactNode {
  const shown = useFleet();
  const search = useSearch({ from: "/frame/fleet" });
  const { name: chosen } = useParams({ strict: false });
  const navigate = useNavigate();
  const notice = useRouterState({ select: ({ location }) => location.state.notice });
  const clusters = useMemo(() => (shown.kind === "shown" ? [...shown.value.clusters.values()] : []), [shown]);
  const look = useMemo(() => toFleetLook(search), [search]);
  const groups = useMemo(() => arrangeFleet(clusters, look), [clusters, look]);
  useTitle(chosen ?? "Fleet");
  const change = (some: FleetSearch): void => {
    void navigate({ to: ".", search: (before) => ({ ...before, ...some }), replace: true });
  };

  return (
    <div className={`${styles["page"]} ${chosen === undefined ? "" : styles["split"]}`}>
      <section className={styles["fleet"]} aria-label="Fleet">
        <h1 className="hidden-text">Fleet</h1>
        <p role="status" className={styles["notice"]}>
          {notice}
        </p>
        {shown.kind === "loading" && <p className={styles["quiet"]}>Loading the fleet.</p>}
        {shown.kind === "refused" && <p className={styles["quiet"]}>{shown.refusal.message}</p>}
        {shown.kind === "shown" && clusters.length === 0 && <Onboarding />}
        {clusters.length > 0 && (
          <>
            <CoverageLine clusters={clusters} />
            <FleetControls search={search} clusters={clusters} onChange={change} />
            <FleetList groups={groups} search={search} chosen={chosen} onChange={change} />
          </>
        )}
      </section>
      <Outlet />
    </div>
  );
}
