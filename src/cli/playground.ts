// SPDX-License-Identifier: Apache-2.0
import { createClient } from "@connectrpc/connect";
import {
  type PlaygroundCluster,
  PlaygroundNetwork,
  PlaygroundService,
} from "../gen/flotilla/admin/v1/playground_pb.ts";
import type { HubCall } from "./hub-call.ts";
import { printResult } from "./output.ts";
import { renderTable } from "./table.ts";

const columns = ["NAME", "REGION", "STATE", "NETWORK", "URL"];

function networkName(network: PlaygroundNetwork): string {
  switch (network) {
    case PlaygroundNetwork.OPEN:
      return "open";
    case PlaygroundNetwork.REFUSED:
      return "refused";
    case PlaygroundNetwork.SILENT:
      return "silent";
    default:
      return "unknown";
  }
}

/** Prints the playground clusters. */
export async function listPlayground(call: HubCall): Promise<void> {
  const { clusters } = await clientOf(call).listPlaygroundClusters({}, { signal: call.signal });
  const text = clusters.length === 0 ? "no playground clusters\n" : renderTable(columns, clusters.map(toRow));
  await printResult(call.io.stdout, call.output, { value: { clusters: clusters.map(toObject) }, text });
}

/** Starts or stops the API server of a cluster. */
export async function setPower(call: HubCall, name: string, isRunning: boolean): Promise<void> {
  const { cluster } = await clientOf(call).setPlaygroundPower({ name, isRunning }, { signal: call.signal });
  await printOne(call, cluster, isRunning ? "runs" : "is stopped");
}

/** Cuts the network of a cluster: connections are refused, or taken and never answered. */
export async function cutNetwork(call: HubCall, name: string, isSilent: boolean): Promise<void> {
  const network = isSilent ? PlaygroundNetwork.SILENT : PlaygroundNetwork.REFUSED;
  const { cluster } = await clientOf(call).setPlaygroundNetwork({ name, network }, { signal: call.signal });
  await printOne(call, cluster, isSilent ? "answers nothing: its network drops everything" : "refuses connections");
}

/** Opens the network of a cluster again, or ends one of its troubles. */
export async function heal(call: HubCall, name: string, trouble: string | undefined): Promise<void> {
  const client = clientOf(call);
  const { signal } = call;
  if (trouble !== undefined) {
    const { cluster } = await client.setPlaygroundTrouble({ name, trouble, isActive: false }, { signal });
    await printOne(call, cluster, `has no ${trouble} any more`);
    return;
  }
  const { cluster } = await client.setPlaygroundNetwork({ name, network: PlaygroundNetwork.OPEN }, { signal });
  await printOne(call, cluster, "can be reached");
}

/** Adds trouble to a cluster. */
export async function makeTrouble(call: HubCall, name: string, trouble: string): Promise<void> {
  const { cluster } = await clientOf(call).setPlaygroundTrouble(
    { name, trouble, isActive: true },
    { signal: call.signal },
  );
  await printOne(call, cluster, `has trouble: ${trouble}`);
}

function clientOf({ transport }: HubCall): ReturnType<typeof createClient<typeof PlaygroundService>> {
  return createClient(PlaygroundService, transport);
}

async function printOne({ io, output }: HubCall, cluster: PlaygroundCluster | undefined, what: string): Promise<void> {
  const value = cluster === undefined ? {} : toObject(cluster);
  await printResult(io.stdout, output, { value, text: `${cluster?.name ?? ""} ${what}\n` });
}

function toRow({ name, region, isRunning, network, url }: PlaygroundCluster): string[] {
  return [name, region, isRunning ? "running" : "stopped", networkName(network), url];
}

function toObject({ name, region, url, isRunning, network }: PlaygroundCluster): Record<string, string | boolean> {
  return { name, region, url, isRunning, network: networkName(network) };
}
