// SPDX-License-Identifier: Apache-2.0
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { FleetCluster } from "../../../../src/gen/flotilla/page/v1/page_pb.ts";
import { usePage } from "../../app/page-context.ts";
import { useSecond } from "../../time/ticker.ts";
import { filterWord } from "../fleet/fleet-filter.ts";
import styles from "./cluster-facts.module.css";
import { credentialWords } from "./credential-words.ts";
import { Section } from "./section.tsx";

/** Facts reported by the agent, and labels. Each value links to the clusters that share it. */
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
        {cluster.credentialEndsMs !== undefined && (
          <CredentialFact endsMs={Number(cluster.credentialEndsMs)} warnMs={Number(cluster.credentialWarnMs ?? 0)} />
        )}
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

/** The end of the agent's credential for its API server, marked as a problem from the hub's warning time on (SE46). */
function CredentialFact({ endsMs, warnMs }: { readonly endsMs: number; readonly warnMs: number }): ReactNode {
  useSecond();
  const { clock } = usePage().link;
  const endedMs = clock.ageMs(endsMs);
  if (endedMs === undefined) return null;
  const isTrouble = (clock.ageMs(warnMs) ?? 0) >= 0;
  const at = clock.wallAt(endsMs);
  return (
    <div data-credential={isTrouble ? "trouble" : "good"}>
      <dt>Credential</dt>
      <dd className={isTrouble ? styles["trouble"] : ""}>
        <time dateTime={at?.toISOString()} title={at?.toLocaleString()}>
          {credentialWords(endedMs, isTrouble)}
        </time>
      </dd>
    </div>
  );
}
