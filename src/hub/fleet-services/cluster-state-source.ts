// SPDX-License-Identifier: Apache-2.0
import type { ClusterStateSource } from "../cluster-state/cluster-state-service.ts";
import type { ClusterRow } from "../cluster-state/to-cluster-state.ts";
import type { ClusterSnapshot } from "../rows/fleet-reader.ts";
import { loadSessions, toClusterMessage } from "./cluster-message.ts";
import type { FleetParts } from "./fleet-parts.ts";

/** Reads the state of a cluster for a subject (N-8). */
export function createClusterStateSource(parts: FleetParts): ClusterStateSource {
  const { fleet } = parts;
  return {
    async load(clusterId, { subject, resources }) {
      const record = await fleet.clusters.load(clusterId);
      if (record === undefined) return undefined;
      fleet.restore.assertLoaded(clusterId);
      const sessions = await loadSessions(parts);
      const summary = await fleet.reader.snapshot(subject, clusterId, resources);
      const { connection = {}, kinds } = toClusterMessage(parts, record, { sessions, summary });
      return { connection, kinds, rows: rowsOf(summary) };
    },
  };
}

async function* rowsOf(snapshot: ClusterSnapshot): AsyncGenerator<ClusterRow, void, undefined> {
  for await (const { resource, rows } of snapshot.pages()) for (const row of rows) yield { resource, row };
}
