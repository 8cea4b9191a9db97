// SPDX-License-Identifier: Apache-2.0

import type { Logger } from "../../base/log.ts";
import type { Clock } from "../../base/time/clock.ts";
import { parseClusterId } from "../../model/cluster-id.ts";
import { type ClusterRecord, toPauseFacts } from "../clusters/cluster-record.ts";
import type { ClusterRegistry } from "../clusters/cluster-registry.ts";
import type { ClusterImports } from "../imports/cluster-imports.ts";
import type { ClaimStore } from "../sessions/claim-store.ts";
import type { ClusterHealth } from "./cluster-health.ts";

/** The parts between registered clusters and their health. */
export interface ClusterHealthSources {
  readonly clusters: ClusterRegistry;
  readonly claims: ClaimStore;
  readonly imports: ClusterImports;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Judges each cluster while it is registered. Until its first session in this run, its age is that of the last stored
 * session (L9). The returned function stops following.
 */
export async function followClusters(health: ClusterHealth, sources: ClusterHealthSources): Promise<() => void> {
  const { clusters, claims, clock } = sources;
  const seenAtMs = new Map<string, number>();
  for (const { cluster, shard, endedAtMs, connectedAtMs } of await claims.list()) {
    if (shard === "") seenAtMs.set(cluster, endedAtMs ?? connectedAtMs);
  }
  const follow = (id: string, record: ClusterRecord | undefined): void => {
    const cluster = parseClusterId(id);
    if (record === undefined) {
      seenAtMs.delete(id);
      health.remove(cluster);
      return;
    }
    const { region } = record.metadata;
    const pause = toPauseFacts(record, clock.wallMs());
    const lastAtMs = seenAtMs.get(id);
    const lastSeenMsAgo = lastAtMs === undefined ? undefined : Math.max(0, clock.wallMs() - lastAtMs);
    health.add(cluster, { region, pause, lastSeenMsAgo });
    health.setRegion(cluster, region);
    health.feed(cluster, { kind: "paused", pause });
    if (record.clusterUid === "") void reportImportFailure(health, sources, id);
  };
  return clusters.listen(follow);
}

/** Reports why an imported cluster has not answered yet. Never rejects. */
async function reportImportFailure(
  health: ClusterHealth,
  { imports, log }: ClusterHealthSources,
  id: string,
): Promise<void> {
  try {
    const failure = await imports.loadUnreached(id);
    if (failure !== undefined) health.feed(parseClusterId(id), { kind: "unreached", ...failure });
  } catch (reason) {
    log.warn("could not read why an imported cluster did not answer", { cluster: id }, reason);
  }
}
