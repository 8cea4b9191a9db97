// SPDX-License-Identifier: Apache-2.0
import type { ClusterStateSource } from "../cluster-state/cluster-state-service.ts";
import type { ClusterRow } from "../cluster-state/to-cluster-state.ts";
import { loadSessions, toClusterMessage } from "./cluster-message.ts";
import type { FleetParts } from "./fleet-parts.ts";

/** Reads the state of a cluster from the fleet's rows (N-8). */
export function createClusterStateSource(parts: FleetParts): ClusterStateSource {
  const { fleet } = parts;
  return {
    async load(clusterId, { resources }) {
      const record = await fleet.clusters.load(clusterId);
      if (record === undefined) return undefined;
      fleet.restore.assertLoaded(clusterId);
      const { connection = {}, kinds } = toClusterMessage(parts, record, {
        sessions: await loadSessions(parts),
        seesObjects: true, // the method itself requires permission to read rows
      });
      // Taken in one step, so that all kinds are of one moment.
      const snapshots = Array.from(
        resources,
        (resource) => [resource, fleet.fleetRows.snapshot(clusterId, resource)] as const,
      );
      return { connection, kinds, rows: rowsOf(snapshots) };
    },
  };
}

type Snapshot = ReturnType<FleetParts["fleet"]["fleetRows"]["snapshot"]>;

function* rowsOf(snapshots: readonly (readonly [string, Snapshot])[]): Generator<ClusterRow> {
  for (const [resource, snapshot] of snapshots) {
    for (const row of snapshot?.rows() ?? []) yield { resource, row };
  }
}
