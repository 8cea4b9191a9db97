// SPDX-License-Identifier: Apache-2.0
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { FleetCluster } from "../../../../src/gen/flotilla/page/v1/page_pb.ts";
import { filterWord } from "../fleet/fleet-filter.ts";
import styles from "./cluster-facts.module.css";
import { Section } from "./section.tsx";

/** What the cluster is: what its agent says of it and what people put on it. Each value finds the others that share it. */
export function ClusterFacts({ cluster }: { readonly cluster: FleetCluster }): ReactNode {
  const facts: readonly (readonly [string, string, string])[] = [
    ["Region", "region", cluster.region],
    ["Environment", "environment", cluster.environment],
    ["Kubernetes", "kubernetes", cluster.kubernetesVersion],
    ["Agent", "agent", cluster.agentVersion],
    ["Version", "version", cluster.version],
    ["Source", "source", cluster.source],
    ...Object.entries(cluster.labels).map(([name, value]) => [name, `label:${name}`, value] as const),
  ];
  return (
    <Section title="Facts and labels">
      <dl className={styles["facts"]}>
        {facts
          .filter(([, , value]) => value !== "")
          .map(([title, field, value]) => (
            <div key={field}>
              <dt>{title}</dt>
              <dd>
                <Link to="/" search={(before) => ({ ...before, filter: filterWord(field, value) })}>
                  {value}
                </Link>
              </dd>
            </div>
          ))}
      </dl>
    </Section>
  );
}
