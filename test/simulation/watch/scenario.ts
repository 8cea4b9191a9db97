// SPDX-License-Identifier: Apache-2.0
// The small case: a hub that serves its store, and two clients that write and watch, over a network and on a disk that
// fail.
import type { DiskLatency } from "../../support/sim/disk.ts";
import { createStoreDisk } from "../../support/sim/disks.ts";
import { SimHost } from "../../support/sim/host.ts";
import { SimNetwork } from "../../support/sim/network.ts";
import type { World } from "../../support/sim/world.ts";
import { findViolations } from "./check.ts";
import { withConnection } from "./connection.ts";
import { startFaults } from "./faults.ts";
import { runHub } from "./hub.ts";
import { loadPicture, type Picture, Watcher } from "./watcher.ts";
import { Writer } from "./writer.ts";

export interface ScenarioOptions {
  readonly writeCount: number;
  /** How long things go wrong; 0 = nothing does. */
  readonly faultsMs: number;
  /** Deliberate faults of our own, which the check must find. */
  readonly diskAnswers?: "afterFsync" | "beforeFsync";
  readonly resumeSkew?: bigint;
}

/** Everything goes wrong for half a minute while each client writes. */
export const faultyWatches: ScenarioOptions = { writeCount: 150, faultsMs: 30_000 };

const clientNames = ["client-a", "client-b"];

/** Slow enough that about every second crash meets a commit whose fsync has not completed. */
const slowDisk: DiskLatency = {
  read: { minMs: 0, maxMs: 2 },
  write: { minMs: 0, maxMs: 4 },
  fsync: { minMs: 10, maxMs: 80, spikeEvery: 30, spikeMs: 400 },
};

/** Bytes under way in one direction: some twenty messages, so that a slow reader fills it. */
export const windowBytes = 4 * 1024;

/** One client's host with its two halves. */
export interface Client {
  readonly name: string;
  readonly host: SimHost;
  readonly watcher: Watcher;
  readonly writer: Writer;
}

/** The whole cast, running. */
export interface Cast {
  readonly world: World;
  readonly network: SimNetwork;
  readonly disk: ReturnType<typeof createStoreDisk>;
  readonly hub: SimHost;
  readonly clients: readonly Client[];
}

export function startCast(world: World, options: ScenarioOptions): Cast {
  const network = new SimNetwork(world, { windowBytes, dialTimeoutMs: 4_000 });
  const disk = createStoreDisk({ world, name: "hub", latency: slowDisk, answers: options.diskAnswers ?? "afterFsync" });
  const hub = new SimHost({
    world,
    network,
    name: "hub",
    disks: [disk],
    run: (signal) => runHub({ clock: world.clock, network, disk }, signal),
  });
  return { world, network, disk, hub, clients: clientNames.map((name) => startClient(world, network, name, options)) };
}

function startClient(world: World, network: SimNetwork, name: string, options: ScenarioOptions): Client {
  const shared = {
    name,
    clock: world.clock,
    log: world.trace.logger(name),
    transport: network.transport({ from: name, to: "hub", service: "store" }),
  };
  const random = world.random.fork(name);
  const watcher = new Watcher({ ...shared, random: random.fork("watcher"), resumeSkew: options.resumeSkew ?? 0n });
  const writer = new Writer({ ...shared, random: random.fork("writer"), count: options.writeCount, watcher });
  const run = async (signal: AbortSignal): Promise<void> => {
    await Promise.all([watcher.run(signal), writer.run(signal)]);
  };
  return { name, watcher, writer, host: new SimHost({ world, network, name, run }) };
}

/** Faults, then none; the clients finish and catch up; what is not as promised comes back. */
export async function runScenario(world: World, options: ScenarioOptions): Promise<readonly string[]> {
  const cast = startCast(world, options);
  if (options.faultsMs > 0) await runFaults(cast, options.faultsMs);
  await world.runUntil("all writes are answered", () => cast.clients.every(({ writer }) => writer.isDone), 300_000);
  return settleAndCheck(cast);
}

/** Waits until both pictures show what the store lists, then judges everything that happened. */
export async function settleAndCheck(cast: Cast): Promise<readonly string[]> {
  const { world, clients, disk } = cast;
  const stored = await loadStored(cast);
  const isCaughtUp = (): boolean => clients.every(({ watcher }) => watcher.picture?.position === stored.position);
  await world.runUntil("both clients have caught up", isCaughtUp, 60_000);
  const records = clients.map(({ name, watcher, writer }) => ({
    name,
    picture: watcher.picture,
    observations: watcher.observations,
    acknowledged: writer.acknowledged,
  }));
  return findViolations(disk, stored, records);
}

async function runFaults({ world, network, hub, clients }: Cast, faultsMs: number): Promise<void> {
  const faults = startFaults({ world, network, hub, clients: clients.map(({ host }) => host), clientNames });
  await world.run(faultsMs);
  for (const task of faults) task.stop();
  await world.runUntil("the faults have ended", () => faults.every((task) => task.isSettled), 10_000);
}

/** What a client that comes fresh is told. */
async function loadStored({ world, network }: Cast): Promise<Picture> {
  let stored: Picture | undefined;
  const transport = network.transport({ from: "auditor", to: "hub", service: "store" });
  world.spawn("auditor", async (signal) => {
    stored = await withConnection({ clock: world.clock, transport }, signal, loadPicture);
  });
  await world.runUntil("the auditor has its list", () => stored !== undefined, 30_000);
  if (stored === undefined) throw new Error("the auditor has no list");
  return stored;
}
