// SPDX-License-Identifier: Apache-2.0
import { createClient } from "@connectrpc/connect";
import { FlotillaError } from "../../base/error.ts";
import { ClusterService } from "../../gen/flotilla/fleet/v1/fleet_pb.ts";
import type { HubCall } from "../hub/hub-call.ts";
import { printResult } from "../output/output.ts";
import { toTerminalText } from "../output/terminal-text.ts";
import { renderTable } from "../output/text-table.ts";
import {
  clusterColumns,
  toClusterObject,
  toClusterRow,
  toClusterText,
  toListedClusterObject,
} from "./print-cluster.ts";

/** Prints every matching cluster and its connection. */
export async function listClusters({ transport, io, output, signal }: HubCall, selector: string): Promise<void> {
  const { clusters } = await createClient(ClusterService, transport).listClusters({ selector }, { signal });
  const text = clusters.length === 0 ? "no clusters\n" : renderTable(clusterColumns, clusters.map(toClusterRow));
  await printResult(io.stdout, output, { value: { clusters: clusters.map(toListedClusterObject) }, text });
}

/** Prints one cluster: its connection, its session, and the freshness of each kind. */
export async function getCluster({ transport, io, output, signal }: HubCall, id: string): Promise<void> {
  const { cluster } = await createClient(ClusterService, transport).getCluster({ id }, { signal });
  if (cluster === undefined) throw new FlotillaError("MALFORMED", "the hub answered without the cluster");
  const text = toClusterText(cluster, io.now()).split("\n").map(toTerminalText).join("\n");
  await printResult(io.stdout, output, { value: toClusterObject(cluster), text });
}
