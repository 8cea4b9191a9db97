// SPDX-License-Identifier: Apache-2.0
import { createClient } from "@connectrpc/connect";
import { FlotillaError } from "../base/error.ts";
import { type Cluster, ClusterService } from "../gen/flotilla/fleet/v1/fleet_pb.ts";
import {
  clusterColumns,
  stateText,
  toClusterObject,
  toClusterRow,
  toClusterText,
  toListedClusterObject,
} from "./cluster-view.ts";
import type { HubCall } from "./hub-call.ts";
import { printOneOfMany, printResult } from "./output.ts";
import { formatAge } from "./relative-time.ts";
import { renderTable } from "./table.ts";
import { toTerminalText } from "./terminal-text.ts";

/** Prints every cluster that the selector takes, and how it is connected. */
export async function listClusters({ transport, io, output, signal }: HubCall, selector: string): Promise<void> {
  const { clusters } = await createClient(ClusterService, transport).listClusters({ selector }, { signal });
  const text = clusters.length === 0 ? "no clusters\n" : renderTable(clusterColumns, clusters.map(toClusterRow));
  await printResult(io.stdout, output, { value: { clusters: clusters.map(toListedClusterObject) }, text });
}

/** Prints one cluster whole: its connection, its session, and how fresh each kind is. */
export async function getCluster({ transport, io, output, signal }: HubCall, id: string): Promise<void> {
  const { cluster } = await createClient(ClusterService, transport).getCluster({ id }, { signal });
  if (cluster === undefined) throw new FlotillaError("MALFORMED", "the hub answered without the cluster");
  const text = toClusterText(cluster, io.now()).split("\n").map(toTerminalText).join("\n");
  await printResult(io.stdout, output, { value: toClusterObject(cluster), text });
}

/**
 * Prints every cluster, then each change of a connection as it happens, until the signal aborts. A hub that ends the watch is a
 * failure (UNAVAILABLE), since silence would pass for "nothing changes".
 */
export async function watchClusters({ transport, io, output, signal }: HubCall, selector: string): Promise<void> {
  const shown = new Map<string, string>();
  try {
    for await (const message of createClient(ClusterService, transport).watchClusters({ selector }, { signal })) {
      const { cluster, removedId } = message;
      if (cluster !== undefined && shown.get(cluster.id) !== lineOf(cluster)) {
        shown.set(cluster.id, lineOf(cluster));
        const text = `${toTerminalText(lineOf(cluster))}\n`;
        await printOneOfMany(io.stdout, output, {
          value: { type: "upserted", cluster: toListedClusterObject(cluster) },
          text,
        });
      }
      if (removedId !== "") {
        shown.delete(removedId);
        const text = `${toTerminalText(removedId)}  removed\n`;
        await printOneOfMany(io.stdout, output, { value: { type: "removed", id: removedId }, text });
      }
    }
  } catch (reason) {
    if (signal.aborted) return;
    throw reason;
  }
  if (!signal.aborted) throw new FlotillaError("UNAVAILABLE", "the hub ended the watch; run the command again");
}

/** What is said of a cluster while watching; ages would change it all the time. */
function lineOf(cluster: Cluster): string {
  const { connection } = cluster;
  const seen = connection?.state !== "live" && connection?.seenMsAgo !== undefined;
  const age = seen ? ` (seen ${formatAge(Number(connection.seenMsAgo))} ago)` : "";
  return [cluster.id, stateText(cluster), `${connection?.message ?? ""}${age}`].join("  ").trimEnd();
}
