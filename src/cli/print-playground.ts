// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { FlotillaError, hasCode } from "../base/error.ts";
import {
  type PlaygroundCluster,
  PlaygroundNetwork,
  PlaygroundService,
  type PlaygroundTrouble,
} from "../gen/flotilla/admin/v1/playground_pb.ts";
import type { HubCall } from "./hub/hub-call.ts";
import { printResult } from "./output/output.ts";
import { toTerminalText } from "./output/terminal-text.ts";
import { renderTable } from "./output/text-table.ts";

const columns = ["NAME", "REGION", "STATE", "NETWORK", "TROUBLES", "URL"];

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

/** Prints the playground clusters with their active troubles, and the available troubles. */
export async function listPlayground(call: HubCall): Promise<void> {
  const { clusters, troubleNames } = await orNoPlayground(
    clientOf(call).listPlaygroundClusters({}, { signal: call.signal }),
  );
  const text = `${renderTable(columns, clusters.map(toRow))}\n${choiceText(troubleNames)}`;
  await printResult(call.io.stdout, call.output, { value: { clusters: clusters.map(toObject), troubleNames }, text });
}

function choiceText(troubleNames: readonly string[]): string {
  const names = troubleNames.map(toTerminalText).join(", ");
  return [
    `Available troubles: ${names}.`,
    "Start one with `flotilla playground trouble NAME TROUBLE`, end it with `flotilla playground heal NAME TROUBLE`.",
    "",
  ].join("\n");
}

/** A hub serves PlaygroundService only if it runs playground clusters. */
async function orNoPlayground<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (reason) {
    if (!hasCode(reason, "UNIMPLEMENTED")) throw reason;
    throw new FlotillaError("NOT_FOUND", "this hub has no playground clusters; `flotilla up` starts a hub with some", {
      cause: reason,
    });
  }
}

/** Starts or stops the API server of a cluster. */
export async function setPower(call: HubCall, name: string, isRunning: boolean): Promise<void> {
  const { cluster } = await orNoPlayground(
    clientOf(call).setPlaygroundPower({ name, isRunning }, { signal: call.signal }),
  );
  await printOne(call, cluster, isRunning ? "runs" : "is stopped");
}

/** Cuts the network of a cluster: connections are refused, or accepted and never answered. */
export async function cutNetwork(call: HubCall, name: string, isSilent: boolean): Promise<void> {
  const network = isSilent ? PlaygroundNetwork.SILENT : PlaygroundNetwork.REFUSED;
  const { cluster } = await orNoPlayground(
    clientOf(call).setPlaygroundNetwork({ name, network }, { signal: call.signal }),
  );
  await printOne(call, cluster, isSilent ? "answers nothing: its network drops everything" : "refuses connections");
}

/** Opens the network of a cluster again, or ends one of its troubles. */
export async function heal(call: HubCall, name: string, trouble: string | undefined): Promise<void> {
  const client = clientOf(call);
  const { signal } = call;
  if (trouble !== undefined) {
    const { cluster } = await orNoPlayground(
      client.setPlaygroundTrouble({ name, trouble, isActive: false }, { signal }),
    );
    await printOne(call, cluster, `has no ${trouble} any more`);
    return;
  }
  const { cluster } = await orNoPlayground(
    client.setPlaygroundNetwork({ name, network: PlaygroundNetwork.OPEN }, { signal }),
  );
  await printOne(call, cluster, "can be reached");
}

/** Adds trouble to a cluster. */
export async function makeTrouble(call: HubCall, name: string, trouble: string): Promise<void> {
  const { cluster } = await orNoPlayground(
    clientOf(call).setPlaygroundTrouble({ name, trouble, isActive: true }, { signal: call.signal }),
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

function toRow({ name, region, isRunning, network, url, troubles }: PlaygroundCluster): string[] {
  const active = troubles.map((each) => `${each.trouble} (${placeOf(each)})`).join(", ");
  return [name, region, isRunning ? "running" : "stopped", networkName(network), active || "-", url];
}

function placeOf({ namespace, name }: PlaygroundTrouble): string {
  return namespace === "" ? name : `${namespace}/${name}`;
}

function toObject({ name, region, url, isRunning, network, troubles }: PlaygroundCluster): JsonObject {
  return {
    name,
    region,
    url,
    isRunning,
    network: networkName(network),
    troubles: troubles.map((each) => ({ trouble: each.trouble, namespace: each.namespace, name: each.name })),
  };
}
