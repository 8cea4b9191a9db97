// SPDX-License-Identifier: Apache-2.0
// Two hubs on one store: agents reach now the one, now the other, each cluster has one session all the same, and both
// hubs show it.
import { hasCode } from "../../../src/base/error.ts";
import { parseClusterId } from "../../../src/model/cluster-id.ts";
import type { Delay } from "../../support/sim/delay.ts";
import { createFleetLogDisk, createStoreDisk } from "../../support/sim/disks.ts";
import { SimHost } from "../../support/sim/host.ts";
import { SimNetwork } from "../../support/sim/network.ts";
import type { SimTask } from "../../support/sim/task.ts";
import type { World } from "../../support/sim/world.ts";
import { SimAgent } from "./agent.ts";
import type { Cast } from "./cast.ts";
import { SimCluster } from "./cluster.ts";
import { Door } from "./door.ts";
import { type Fault, nothing, pick, type Trouble } from "./fault.ts";
import { SimHub } from "./hub.ts";
import { Judge } from "./judge.ts";
import { PairJudge } from "./pair-judge.ts";
import { wayBackMs } from "./scenario.ts";
import { SharedStores, type StoresConnection, sharedPollMs } from "./stores.ts";
import { hubTroubles, runTroubles, sharedTroubles } from "./troubles.ts";

const hubHosts = ["hub-a", "hub-b"] as const;

/** What a flush may take to be unpacked: so long that the other hub may give out an epoch meanwhile. */
const maxUnpackMs = 1_500;

interface Pair {
  readonly world: World;
  readonly stores: SharedStores;
  readonly clusters: readonly SimCluster[];
  /** The world as each hub is in it. */
  readonly casts: readonly (Cast & { readonly connection: StoresConnection })[];
  /** Hears of both hubs' logs: who writes, in which epoch, what. */
  readonly logJudge: Judge;
  readonly pairJudge: PairJudge;
}

/** Deliberate faults of our own, which the judges must find. */
export interface PairOptions {
  /** False: a hub shows what it loaded at its start of clusters whose session is elsewhere. */
  readonly isFollowing?: boolean;
}

function startPair(world: World, unpackDelay: Delay, { isFollowing = true }: PairOptions): Pair {
  const network = new SimNetwork(world, { dialTimeoutMs: 3_000 });
  const storeDisk = createStoreDisk({ world, name: "store" });
  const logDisk = createFleetLogDisk({ world, name: "log" });
  const clusters = ["c0", "c1"].map((id) => new SimCluster(world, id));
  const logJudge = new Judge(world, clusters);
  const stores = new SharedStores(world, { storeDisk, logDisk }, (log) => logJudge.watchLog(log));
  const pairJudge = new PairJudge(world);
  const hubs = hubHosts.map((name) => {
    const connection = stores.connect((position) => hub.fleet?.fleet.noteAppended(position));
    const judge = new Judge(world, clusters);
    const door = new Door((sentence) => world.trace.add(sentence));
    const hub: SimHub = new SimHub({
      world,
      network,
      name,
      openStores: () => connection.open(),
      clusters,
      judge,
      unpackDelay,
      ...(isFollowing ? { followMs: sharedPollMs } : {}),
      fleetTask: (store) => pairJudge.fleetTask(name, store),
      wrapLog: (log) => log,
      onPassage: (passage) => {
        const fate = door.decide(passage);
        if (fate !== "pass" && passage.kind !== "welcome") return fate;
        judge.take(passage);
        pairJudge.take(passage);
        return fate;
      },
    });
    const run = (signal: AbortSignal): Promise<void> => runSupervised(world, hub, signal);
    const hubHost = new SimHost({ world, network, name, disks: [connection], run });
    return { hub, hubHost, hubAt: name, judge, door, connection };
  });
  const agents = clusters.map(
    (cluster) => new SimAgent({ world, network, cluster, name: `agent-${cluster.id}`, hubHosts }),
  );
  const casts = hubs.map((own) => {
    return { world, network, clusters, agents, storeDisk, logDisk, hubHosts, hasLateCopies: false, ...own };
  });
  return { world, stores, clusters, casts, logJudge, pairJudge };
}

/** Starts the hub's process again when it could not begin for want of its databases, as a supervisor does. */
async function runSupervised({ clock, trace }: World, hub: SimHub, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      await hub.run(signal);
      return;
    } catch (reason) {
      if (signal.aborted || !hasCode(reason, "UNAVAILABLE")) throw reason;
      trace.add("a hub exits: it cannot begin without its databases");
      await clock.sleep(sharedPollMs, signal);
    }
  }
}

function allDown({ casts, stores, pairJudge }: Pair): void {
  for (const { hub, hubHost } of casts) {
    hubHost.crash("machine");
    hub.forget();
  }
  stores.crash();
  for (const { judge, logDisk } of casts) judge.checkAcknowledged(logDisk);
  for (const { storeDisk } of casts.slice(0, 1)) pairJudge.checkRecords(storeDisk);
}

function allUp({ casts, stores }: Pair): void {
  stores.restart();
  for (const { hubHost } of casts) hubHost.restart();
}

/** What befalls the databases, and both hubs with them. */
function storeTroubles(pair: Pair): readonly Trouble[] {
  const [cast] = pair.casts;
  if (cast === undefined) return [];
  const { storeDisk, logDisk } = cast;
  return [
    {
      name: "power",
      fault: () => {
        allDown(pair);
        return () => allUp(pair);
      },
      gapMs: [3_000, 12_000],
      lastsMs: [0, 4_000],
    },
    {
      name: "backup",
      fault: () => {
        if (storeDisk.calls.length === 0 || logDisk.calls.length === 0) return nothing;
        const [store, log] = [storeDisk.backup(), logDisk.backup()];
        return () => {
          allDown(pair);
          storeDisk.restore(store);
          logDisk.restore(log);
          for (const { judge } of pair.casts) judge.goBack();
          pair.logJudge.goBack();
          pair.pairJudge.goBack();
          allUp(pair);
        };
      },
      gapMs: [3_000, 15_000],
      lastsMs: [500, 9_000],
    },
  ];
}

/** All troubles of a world with one hub, those of the hub for each of both. */
function startTroubles(pair: Pair): readonly SimTask[] {
  const { world, casts } = pair;
  const chosen = world.random.fork("troubles");
  const ofHubs = casts.flatMap((cast) =>
    hubTroubles(cast)
      .filter(({ name }) => name !== "backup")
      .map((trouble) => ({ ...trouble, name: `${trouble.name} of ${cast.hubAt}` })),
  );
  const stalls = casts.map(({ hubAt, connection }): Trouble => {
    const fault: Fault = (random) => {
      world.trace.add(`${hubAt} does not reach its databases`);
      return random.int(2) === 0 ? connection.stall() : connection.refuse();
    };
    return { name: `databases of ${hubAt}`, fault, gapMs: [500, 8_000], lastsMs: [500, 20_000] };
  });
  const ofAll = casts.slice(0, 1).flatMap((cast) => sharedTroubles(cast));
  const all = [...ofHubs, ...stalls, ...ofAll, ...storeTroubles(pair)];
  return runTroubles(
    world,
    all.filter(() => chosen.int(2) === 0),
  );
}

function isLiveAt(hub: SimHub, id: string): boolean {
  return hub.fleet?.health.get(parseClusterId(id))?.connection.state === "live";
}

/** What is not as it should be at the end: each cluster is live at exactly one hub, and both show it as it is. */
function findDifferences({ clusters, casts }: Pair): readonly string[] {
  return clusters.flatMap(({ id }) => {
    const holders = casts.filter(({ hub }) => isLiveAt(hub, id));
    if (holders.length !== 1) return [`${id} is live at ${holders.length} hubs`];
    return casts.flatMap(({ hub, judge, hubAt }) => {
      if (hub.fleet === undefined) return [`${hubAt} is not there`];
      if (isLiveAt(hub, id)) return judge.findDifferences(hub.fleet, [id]);
      return judge.findFollowedDifferences(hub.fleet, id).map((each) => `${hubAt}: ${each}`);
    });
  });
}

function sample({ clusters, casts }: Pair): void {
  for (const { hub, judge } of casts) {
    const { fleet } = hub;
    if (fleet === undefined) continue;
    // A hub without the session of a cluster follows it, and says that it is not live.
    const isHere = ({ id }: SimCluster): boolean => isLiveAt(hub, id);
    judge.sample(fleet, clusters.filter(isHere));
    judge.sampleFollowed(
      fleet,
      clusters.filter((cluster) => !isHere(cluster)),
    );
  }
}

/** Writes and troubles, then none. Answers what was not as promised. */
export async function runTwoHubs(world: World, options: PairOptions = {}): Promise<readonly string[]> {
  let isTroubled = true;
  const unpackDelay = {
    minMs: 0,
    get maxMs() {
      return isTroubled ? maxUnpackMs : 0;
    },
  };
  const pair = startPair(world, unpackDelay, options);
  const { clusters, casts, logJudge, pairJudge } = pair;
  const random = world.random.fork("writes");
  const troubles = startTroubles(pair);
  const untilMs = world.clock.nowMs() + 8_000 + random.int(16_000);
  while (world.clock.nowMs() < untilMs) {
    await world.run(50 + random.int(700));
    pick(random, clusters).write();
    sample(pair);
  }
  for (const task of troubles) task.stop();
  isTroubled = false;
  await world.runUntil("the troubles have ended", () => troubles.every((task) => task.isSettled), 10_000);
  await world.run(maxUnpackMs);
  const endMs = world.clock.nowMs() + wayBackMs;
  while (findDifferences(pair).length > 0 && world.clock.nowMs() < endMs) await world.run(500);
  for (const { judge, logDisk } of casts) judge.checkAcknowledged(logDisk);
  for (const { storeDisk } of casts.slice(0, 1)) pairJudge.checkRecords(storeDisk);
  const violations = [logJudge, pairJudge, ...casts.map(({ judge }) => judge)].flatMap((each) => each.violations);
  return [...violations, ...findDifferences(pair)];
}
