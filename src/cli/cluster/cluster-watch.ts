// SPDX-License-Identifier: Apache-2.0
import { createClient } from "@connectrpc/connect";
import { type Cluster, ClusterService } from "../../gen/flotilla/fleet/v1/fleet_pb.ts";
import { type FollowCall, followHub } from "../hub/follow-hub.ts";
import { printOneOfMany } from "../output/output.ts";
import { formatAge } from "../output/relative-time.ts";
import { toTerminalText } from "../output/terminal-text.ts";
import { stateText, toListedClusterObject } from "./print-cluster.ts";

/**
 * Prints every cluster, then each change of a connection, until the signal aborts. It continues across restarts of the
 * hub and prints only differences, including removals (CL2).
 */
export async function watchClusters(call: FollowCall, selector: string): Promise<void> {
  const { transport, signal } = call;
  const shown = new Map<string, string>();
  await followHub(call, async () => {
    const missing = new Set(shown.keys());
    for await (const message of createClient(ClusterService, transport).watchClusters({ selector }, { signal })) {
      const { cluster, removedId, isPresentComplete } = message;
      if (cluster !== undefined) {
        missing.delete(cluster.id);
        await printCluster(call, cluster, shown);
      }
      if (removedId !== "") await printRemoval(call, removedId, shown);
      if (!isPresentComplete) continue;
      for (const id of missing) await printRemoval(call, id, shown);
      missing.clear();
    }
  });
}

async function printCluster({ io, output }: FollowCall, cluster: Cluster, shown: Map<string, string>): Promise<void> {
  const line = lineOf(cluster);
  if (shown.get(cluster.id) === line) return;
  shown.set(cluster.id, line);
  const value = { type: "upserted", cluster: toListedClusterObject(cluster) };
  await printOneOfMany(io.stdout, output, { value, text: `${toTerminalText(line)}\n` });
}

async function printRemoval({ io, output }: FollowCall, id: string, shown: Map<string, string>): Promise<void> {
  shown.delete(id);
  await printOneOfMany(io.stdout, output, { value: { type: "removed", id }, text: `${toTerminalText(id)}  removed\n` });
}

/** The line of a cluster. It contains no growing age of a live cluster, because every message would change it. */
function lineOf(cluster: Cluster): string {
  const { connection } = cluster;
  const seen = connection?.state !== "live" && connection?.seenMsAgo !== undefined;
  const age = seen ? ` (seen ${formatAge(Number(connection.seenMsAgo))} ago)` : "";
  return [cluster.id, stateText(cluster), `${connection?.message ?? ""}${age}`].join("  ").trimEnd();
}
