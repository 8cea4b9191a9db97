// SPDX-License-Identifier: Apache-2.0
import { settle } from "../../../base/testing/manual-clock.ts";
import type { Row } from "../../../model/rows/row.ts";
import { rowsIn } from "../../index/testing/in-thread-index.ts";
import type { Fleet } from "../fleet.ts";
import { keyNamed, ModelAgent, type ModelAgentOptions } from "./model-agent.ts";

export const noMetadata = { region: "", environment: "", version: "", kubernetesVersion: "", labels: new Map() };

/** Registers a cluster whose key and uid follow from its name. */
export async function register(fleet: Fleet, ...clusters: readonly string[]): Promise<void> {
  for (const clusterId of clusters) {
    const wish = { clusterId, publicKey: keyNamed(clusterId), clusterUid: `uid-${clusterId}`, metadata: noMetadata };
    await fleet.clusterRegistration.add(wish, "agent");
  }
  await settle();
}

/** An agent of a cluster that was registered so. */
export function agentOf(
  fleet: Fleet,
  cluster: string,
  options: Partial<Omit<ModelAgentOptions, "fleet" | "cluster">> = {},
): ModelAgent {
  return new ModelAgent({ fleet, cluster, agentId: `agent-of-${cluster}`, publicKey: keyNamed(cluster), ...options });
}

/** The names of a kind's rows, in order. */
export function namesOf(fleet: Fleet, cluster: string, resource: string): readonly string[] {
  return rowsOf(fleet, cluster, resource).map(({ name }) => name);
}

export function rowsOf(fleet: Fleet, cluster: string, resource: string): readonly Row[] {
  const rows = [...rowsIn(fleet.index, cluster, resource)];
  return rows.sort((a, b) => (`${a.namespace}/${a.name}` < `${b.namespace}/${b.name}` ? -1 : 1));
}
