// SPDX-License-Identifier: Apache-2.0
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { WatchClustersResponseSchema } from "../../gen/flotilla/fleet/v1/fleet_pb.ts";
import { parseClusterId } from "../../model/cluster-id.ts";
import type { ViewerAccess } from "../access/viewer-access.ts";
import type { ClusterRecord } from "../clusters/cluster-record.ts";
import { loadSessions, toClusterMessage } from "./cluster-message.ts";
import type { FleetParts } from "./fleet-parts.ts";

type Message = MessageInitShape<typeof WatchClustersResponseSchema>;

/** Interval of empty messages on a quiet stream. Proxies close streams that are silent for 30 to 60 s. */
const heartbeatMs = 15_000;

/**
 * Yields every matching cluster, then each one whose connection or registration changes, until the signal aborts. A
 * cluster that begins to match is sent; one that no longer matches is removed.
 */
export async function* watchClusters(
  parts: FleetParts,
  { isWanted, access }: { readonly isWanted: (record: ClusterRecord) => boolean; readonly access: ViewerAccess },
  signal: AbortSignal,
): AsyncGenerator<Message, void, undefined> {
  const { fleet, health } = parts;
  const changes = health.subscribe();
  const changedRecords = new Set<string>();
  const unlisten = fleet.clusters.listen((id) => {
    changedRecords.add(id);
    changes.wake();
  });
  try {
    const shown = new Set<string>();
    const show = async function* (ids: Iterable<string>): AsyncGenerator<Message> {
      const sessions = await loadSessions(parts);
      for (const id of ids) {
        const summary = await fleet.reader.summarize(access.subject, id);
        const record = fleet.clusters.get(id);
        const isShown = record !== undefined && isWanted(record) && access.canSeeCluster(id);
        if (isShown && health.get(parseClusterId(id)) !== undefined) {
          shown.add(id);
          yield { cluster: toClusterMessage(parts, record, { sessions, summary }) };
        } else if (shown.delete(id)) yield { removedId: id };
      }
    };
    yield* show(fleet.clusters.list().map(({ id }) => id));
    yield { isPresentComplete: true };
    while (!signal.aborted) {
      const taken = await changes.take(heartbeatMs, signal);
      if (signal.aborted) return;
      const ids = new Set<string>([...taken.map(({ cluster }) => cluster), ...changedRecords]);
      changedRecords.clear();
      if (ids.size === 0) yield {};
      else yield* show(ids);
    }
  } finally {
    unlisten();
    changes.close();
  }
}
