// SPDX-License-Identifier: Apache-2.0
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { useTitle, useView } from "../../app/page-context.ts";
import type { ViewRequest } from "../../link/link.ts";
import { clusterFold } from "../../views/cluster-fold.ts";
import { UnhealthyRows } from "../cluster/unhealthy-rows.tsx";
import { objectKey, parseObjectParams } from "./object-address.ts";
import styles from "./object-page.module.css";
import { NoObject, ObjectPanel } from "./object-panel.tsx";

/** One object of a cluster, beside the cluster's unhealthy objects. */
export function ObjectPage(): ReactNode {
  const params = useParams({ from: "/frame/clusters/$name/objects/$resource/$" });
  const { name: cluster } = params;
  const address = parseObjectParams(params);
  const navigate = useNavigate();
  const wish = useMemo<ViewRequest>(() => ({ case: "cluster", value: { clusterId: cluster } }), [cluster]);
  const shown = useView(wish, clusterFold);
  useTitle(address?.name ?? cluster);
  if (address === undefined) return <NoObject />;
  const close = (): void => {
    const state = { leftObject: objectKey(address) };
    void navigate({ to: "/clusters/$name", params: { name: cluster }, search: (before) => before, state });
  };
  return (
    <div className={styles["page"]}>
      <section className={styles["list"]} aria-label={`Unhealthy in ${cluster}`}>
        <h1 className="hidden-text">Objects of {cluster}</h1>
        <h2 className={styles["title"]}>
          <Link to="/clusters/$name" params={{ name: cluster }} search={(before) => before} className="mono">
            {cluster}
          </Link>
        </h2>
        {shown.kind === "loading" && <p className={styles["quiet"]}>Loading this cluster.</p>}
        {shown.kind === "refused" && <p className={styles["quiet"]}>{shown.refusal.message}</p>}
        {shown.kind === "shown" && shown.value.unhealthy !== undefined && (
          <UnhealthyRows list={shown.value.unhealthy} />
        )}
      </section>
      <ObjectPanel key={objectKey(address)} address={address} onClose={close} />
    </div>
  );
}
