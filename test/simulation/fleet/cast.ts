// SPDX-License-Identifier: Apache-2.0
// Everybody in the fleet's world: a hub on two disks, some clusters, an agent for each.
import type { IndexPort } from "../../../src/hub/index/index-port.ts";
import type { KubeSource } from "../../../src/kube/kube-source.ts";
import type { FleetLog, FleetLogEngine } from "../../../src/store/fleet-log/fleet-log.ts";
import type { StoreEngine } from "../../../src/store/store-engine.ts";
import type { Delay } from "../../support/sim/delay.ts";
import type { DiskLatency, SimDisk } from "../../support/sim/disk.ts";
import { createFleetLogDisk, createStoreDisk } from "../../support/sim/disks.ts";
import { SimHost } from "../../support/sim/host.ts";
import { SimNetwork } from "../../support/sim/network.ts";
import type { World } from "../../support/sim/world.ts";
import { SimAgent } from "./agent.ts";
import { SimCluster } from "./cluster.ts";
import { Door } from "./door.ts";
import { SimHub } from "./hub.ts";
import { Judge } from "./judge.ts";
import { unpackDelay } from "./keys.ts";
import { openDisks } from "./stores.ts";
import type { OnPassage } from "./tap.ts";
import type { TunnelDoor } from "./tunnel-door.ts";

export interface CastOptions {
  readonly clusterCount: number;
  /** Deliberate faults of our own, which the judge must find. */
  readonly diskAnswers?: "afterFsync" | "beforeFsync";
  readonly wrapLog?: (log: FleetLog) => FleetLog;
  readonly wrapIndex?: (index: IndexPort) => IndexPort;
  readonly wrapSource?: (source: KubeSource) => KubeSource;
  /** The watches of copied agents tell everything some seconds later. */
  readonly hasLateCopies?: boolean;
  /** The troubles there are; drawn when left out. */
  readonly troubles?: readonly string[];
  /** What the hub takes to unpack a part of a flush. */
  readonly unpackDelay?: Delay;
  /** Sessions that the hub lets in each second; drawn when left out. */
  readonly admissionRate?: number;
  /** Decides over every message in place of the door. */
  readonly onPassage?: OnPassage;
  /** Makes the clusters in place of plain ones. */
  readonly createCluster?: (world: World, id: string) => SimCluster;
  /** Where tunnels come in; left out in worlds in which nobody asks. */
  readonly tunnelDoor?: TunnelDoor;
}

/** Everybody in the world, running. */
export interface Cast {
  readonly world: World;
  readonly network: SimNetwork;
  readonly clusters: readonly SimCluster[];
  readonly agents: readonly SimAgent[];
  readonly hub: SimHub;
  readonly hubHost: SimHost;
  /** The hub's name on the network. */
  readonly hubAt: string;
  /** All hubs that agents reach. */
  readonly hubHosts: readonly string[];
  readonly door: Door;
  readonly storeDisk: SimDisk<StoreEngine>;
  readonly logDisk: SimDisk<FleetLogEngine>;
  readonly judge: Judge;
  readonly hasLateCopies: boolean;
}

/** Slow enough that crashes meet appends whose fsync has not completed. */
const slowDisk: DiskLatency = {
  read: { minMs: 0, maxMs: 1 },
  write: { minMs: 0, maxMs: 3 },
  fsync: { minMs: 2, maxMs: 40, spikeEvery: 20, spikeMs: 400 },
};

/** Starts the hub and all agents. */
export function startCast(world: World, options: CastOptions): Cast {
  const network = new SimNetwork(world, { dialTimeoutMs: 3_000 });
  const answers = options.diskAnswers ?? "afterFsync";
  const storeDisk = createStoreDisk({ world, name: "store", answers });
  const logDisk = createFleetLogDisk({ world, name: "log", latency: slowDisk, answers });
  const createCluster = options.createCluster ?? ((of: World, id: string) => new SimCluster(of, id));
  const clusters = Array.from({ length: options.clusterCount }, (_, index) => createCluster(world, `c${index}`));
  const judge = new Judge(world, clusters);
  const door = new Door((sentence) => world.trace.add(sentence));
  const hub = new SimHub({
    world,
    network,
    name: "hub",
    openStores: () => openDisks(world, { storeDisk, logDisk }),
    clusters,
    judge,
    unpackDelay: options.unpackDelay ?? unpackDelay,
    wrapLog: options.wrapLog ?? ((log) => log),
    ...(options.wrapIndex === undefined ? {} : { wrapIndex: options.wrapIndex }),
    ...(options.admissionRate === undefined ? {} : { admissionRate: options.admissionRate }),
    ...(options.tunnelDoor === undefined ? {} : { tunnelDoor: options.tunnelDoor }),
    onPassage: (passage) => {
      const fate = options.onPassage?.(passage) ?? door.decide(passage);
      // A Welcome says what it says, also where a test has changed what the agent reads of it; other bytes in a
      // message's place are none.
      if (fate === "pass" || passage.kind === "welcome") judge.take(passage);
      return fate;
    },
  });
  const hubHost = new SimHost({
    world,
    network,
    name: "hub",
    disks: [storeDisk, logDisk],
    run: (signal) => hub.run(signal),
  });
  const { wrapSource } = options;
  const agents = clusters.map(
    (cluster) =>
      new SimAgent({
        world,
        network,
        cluster,
        name: `agent-${cluster.id}`,
        ...(wrapSource === undefined ? {} : { wrapSource }),
      }),
  );
  return {
    world,
    network,
    clusters,
    agents,
    hub,
    hubHost,
    hubAt: "hub",
    hubHosts: ["hub"],
    door,
    storeDisk,
    logDisk,
    judge,
    hasLateCopies: options.hasLateCopies ?? false,
  };
}
