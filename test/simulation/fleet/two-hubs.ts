// SPDX-License-Identifier: Apache-2.0
// Two hubs on one store: agents reach now the one, now the other, and each cluster has one session all the same.
import { parseClusterId } from "../../../src/model/cluster-id.ts";
import type { Delay } from "../../support/sim/delay.ts";
import { createFleetLogDisk, createStoreDisk } from "../../support/sim/disks.ts";
import { SimHost } from "../../support/sim/host.ts";
import { SimNetwork } from "../../support/sim/network.ts";
import type { World } from "../../support/sim/world.ts";
import { runCopy, SimAgent } from "./agent.ts";
import { SimCluster } from "./cluster.ts";
import { nothing, pick, type Trouble } from "./fault.ts";
import { SimHub } from "./hub.ts";
import { Judge } from "./judge.ts";
import { SharedStores } from "./stores.ts";
import { runTroubles } from "./troubles.ts";

const hubHosts = ["hub-a", "hub-b"] as const;

/** What a flush may take to be unpacked: so long that the other hub may give out an epoch meanwhile. */
const maxUnpackMs = 1_500;

interface Pair {
  readonly world: World;
  readonly network: SimNetwork;
  readonly clusters: readonly SimCluster[];
  readonly agents: readonly SimAgent[];
  readonly hubs: readonly { readonly hub: SimHub; readonly host: SimHost; readonly judge: Judge }[];
  /** Hears of both hubs' logs: who writes, in which epoch, what. */
  readonly judge: Judge;
}

function startPair(world: World, unpackDelay: Delay): Pair {
  const network = new SimNetwork(world, { dialTimeoutMs: 3_000 });
  const storeDisk = createStoreDisk({ world, name: "store" });
  const logDisk = createFleetLogDisk({ world, name: "log" });
  const stores = new SharedStores(world, { storeDisk, logDisk });
  const clusters = ["c0", "c1"].map((id) => new SimCluster(world, id));
  const judge = new Judge(world, clusters);
  const hubs = hubHosts.map((name) => {
    const connection = stores.connect();
    const own = new Judge(world, clusters);
    const hub = new SimHub({
      world,
      network,
      name,
      openStores: () => connection.open(),
      clusters,
      judge: own,
      unpackDelay,
      wrapLog: (log) => judge.watchLog(log),
      onPassage: (passage) => {
        own.take(passage);
        return "pass";
      },
    });
    const host = new SimHost({ world, network, name, disks: [connection], run: (signal) => hub.run(signal) });
    return { hub, host, judge: own };
  });
  const agents = clusters.map(
    (cluster) => new SimAgent({ world, network, cluster, name: `agent-${cluster.id}`, hubHosts }),
  );
  return { world, network, clusters, agents, hubs, judge };
}

function troublesOf({ world, network, agents, hubs }: Pair): readonly Trouble[] {
  return [
    {
      name: "streams",
      fault: (random) => {
        const { streams } = network;
        if (streams.length === 0) return nothing;
        const stream = pick(random, streams);
        if (random.int(3) === 0) stream.blackHole();
        else stream.cut();
        return nothing;
      },
      gapMs: [300, 3_000],
      lastsMs: [0, 500],
    },
    {
      name: "links",
      fault: (random) => {
        const [{ name }, host] = [pick(random, agents), pick(random, hubHosts)];
        network.partition(name, host);
        return () => network.heal(name, host);
      },
      gapMs: [500, 4_000],
      lastsMs: [500, 6_000],
    },
    {
      name: "hubs",
      fault: (random) => {
        const { hub, host } = pick(random, hubs);
        host.crash(random.int(2) === 0 ? "process" : "machine");
        hub.forget();
        return () => host.restart();
      },
      gapMs: [1_000, 6_000],
      lastsMs: [0, 6_000],
    },
    {
      name: "copy",
      fault: (random) => {
        const { cluster } = pick(random, agents);
        const name = `copy-${random.int(1_000)}-of-${cluster.id}`;
        const copy = world.spawn(name, (signal) => runCopy({ world, network, cluster, name, hubHosts }, signal));
        return () => copy.stop();
      },
      gapMs: [500, 4_000],
      lastsMs: [2_000, 10_000],
    },
  ];
}

function isLiveAt(hub: SimHub, id: string): boolean {
  return hub.fleet?.health.get(parseClusterId(id))?.connection.state === "live";
}

/** What is not as it should be at the end: each cluster is live at exactly one hub, and shown there as it is. */
function findDifferences({ clusters, hubs }: Pair): readonly string[] {
  return clusters.flatMap(({ id }) => {
    const holders = hubs.filter(({ hub }) => isLiveAt(hub, id));
    if (holders.length !== 1) return [`${id} is live at ${holders.length} hubs`];
    return holders.flatMap(({ hub, judge }) => (hub.fleet === undefined ? [] : judge.findDifferences(hub.fleet, [id])));
  });
}

/** A lease, the grace period, an agent's longest wait, a digest exchange. */
const wayBackMs = 60_000;

/** Writes and troubles, then none. Answers what was not as promised. */
export async function runTwoHubs(world: World): Promise<readonly string[]> {
  let isTroubled = true;
  const unpackDelay = {
    minMs: 0,
    get maxMs() {
      return isTroubled ? maxUnpackMs : 0;
    },
  };
  const pair = startPair(world, unpackDelay);
  const { clusters, hubs, judge } = pair;
  const random = world.random.fork("writes");
  const troubles = runTroubles(world, troublesOf(pair));
  const untilMs = world.clock.nowMs() + 8_000 + random.int(8_000);
  while (world.clock.nowMs() < untilMs) {
    await world.run(50 + random.int(700));
    pick(random, clusters).write();
    for (const { hub, judge: own } of hubs) {
      const { fleet } = hub;
      // A hub without the session of a cluster shows what it loaded of it, and says that it is not live.
      if (fleet !== undefined)
        own.sample(
          fleet,
          clusters.filter(({ id }) => isLiveAt(hub, id)),
        );
    }
  }
  for (const task of troubles) task.stop();
  isTroubled = false;
  await world.run(maxUnpackMs);
  const endMs = world.clock.nowMs() + wayBackMs;
  while (findDifferences(pair).length > 0 && world.clock.nowMs() < endMs) await world.run(500);
  const violations = [judge, ...hubs.map((each) => each.judge)].flatMap((each) => each.violations);
  return [...violations, ...findDifferences(pair)];
}
