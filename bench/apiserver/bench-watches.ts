// SPDX-License-Identifier: Apache-2.0
import type { Side, Sides } from "./bench-writes.ts";
import { EventCounter, untilTold } from "./event-counter.ts";
import { LightConnection, openConnections } from "./light-client.ts";
import { configMaps } from "./objects.ts";
import { median, report, spread } from "./report.ts";
import { runTurn, updateRequest } from "./writes.ts";

const watchCount = 100;
const runCount = 3;
/** A live run writes for so long. */
const liveMs = 3000;
/** Events that watches catch up on: fewer than either server keeps for them. */
const backlogCount = 2000;

/** What is asked for. */
const goalPerSecond = 100_000;

/** A server whose objects are watched while they are updated. */
export interface WatchedSide extends Side {
  /** How many objects there are to update. */
  readonly objectCount: number;
}

interface FanOut {
  readonly writes: number;
  readonly deliveries: number;
  readonly perSecond: number;
}

/** What a run needed of the server's processor time: the same on a busy machine as on a quiet one. */
interface Measured extends FanOut {
  readonly cpuMs: number;
}

type Run = (side: WatchedSide, serial: { value: number }) => Promise<FanOut>;

/** All objects of one resource to a hundred watches, over a hundred TLS connections. */
export async function benchWatches(sides: Sides<WatchedSide>, firstSerial: number): Promise<void> {
  const serials = { ours: { value: firstSerial }, real: { value: firstSerial } };
  await benchRuns(`live to ${watchCount} watches`, { sides, serials, run: runLive });
  await benchRuns(`${backlogCount} events late to ${watchCount} watches`, { sides, serials, run: runLate });
}

async function benchRuns(
  what: string,
  { sides, serials, run }: { sides: Sides<WatchedSide>; serials: Sides<{ value: number }>; run: Run },
): Promise<void> {
  const ours: Measured[] = [];
  const real: Measured[] = [];
  for (let at = 0; at < runCount; at += 1) {
    ours.push(await measured(sides.ours, () => run(sides.ours, serials.ours)));
    real.push(await measured(sides.real, () => run(sides.real, serials.real)));
  }
  const perSecond = median(ours.map((each) => each.perSecond));
  const realPerSecond = median(real.map((each) => each.perSecond));
  report(what, {
    deliveriesPerSecond: perSecond,
    spread: spread(ours.map((each) => each.perSecond)),
    real: realPerSecond,
    realSpread: spread(real.map((each) => each.perSecond)),
    ratio: perSecond / realPerSecond,
    perCpuSecond: perCpuSecond(ours),
    realPerCpuSecond: perCpuSecond(real),
    toldOf: toldPart(ours),
    realToldOf: toldPart(real),
    meetsGoal: perSecond >= goalPerSecond,
  });
}

async function measured({ server }: WatchedSide, run: () => Promise<FanOut>): Promise<Measured> {
  const beforeMs = server.readCpuMs();
  const fanOut = await run();
  return { ...fanOut, cpuMs: server.readCpuMs() - beforeMs };
}

function perCpuSecond(runs: readonly Measured[]): number {
  const cpuMs = runs.reduce((sum, each) => sum + each.cpuMs, 0);
  return (1000 * runs.reduce((sum, { deliveries }) => sum + deliveries, 0)) / cpuMs;
}

/** The part of all events that watches were told of: a server may end a watch that is too slow. */
function toldPart(runs: readonly FanOut[]): number {
  const due = runs.reduce((sum, { writes }) => sum + writes * watchCount, 0);
  return runs.reduce((sum, { deliveries }) => sum + deliveries, 0) / due;
}

/** Watches are open while 64 writers update as fast as they can; ends when every watch has been told of everything. */
async function runLive(side: WatchedSide, serial: { value: number }): Promise<FanOut> {
  const { connections, objectCount } = side;
  const watches = startWatches(await openConnections(side.server, watchCount), await newestVersion(side));
  const startedMs = performance.now();
  const { latenciesMs } = await runTurn(
    connections,
    () => updateRequest(configMaps, serial.value++, objectCount),
    (elapsedMs) => elapsedMs >= liveMs,
  );
  return finish(watches, latenciesMs.length, startedMs);
}

/** Watches are opened behind a backlog of events, which is what every client does that was away for a moment. */
async function runLate(side: WatchedSide, serial: { value: number }): Promise<FanOut> {
  const { connections, objectCount } = side;
  const from = await newestVersion(side);
  const end = serial.value + backlogCount;
  await runTurn(
    connections,
    () => updateRequest(configMaps, serial.value++, objectCount),
    () => serial.value >= end,
  );
  const opened = await openConnections(side.server, watchCount);
  const startedMs = performance.now();
  return finish(startWatches(opened, from), backlogCount, startedMs);
}

interface OpenWatches {
  readonly connections: readonly LightConnection[];
  readonly counters: readonly EventCounter[];
}

function startWatches(connections: readonly LightConnection[], from: string): OpenWatches {
  const counters = connections.map((connection) => {
    const counter = new EventCounter();
    connection.stream(`/api/v1/configmaps?watch=1&resourceVersion=${from}`, (chunk) => counter.take(chunk));
    return counter;
  });
  return { connections, counters };
}

async function finish({ connections, counters }: OpenWatches, writes: number, startedMs: number): Promise<FanOut> {
  const tookMs = (await untilTold(counters, writes)) - startedMs;
  for (const connection of connections) connection.close();
  const deliveries = counters.reduce((sum, { count }) => sum + count, 0);
  return { writes, deliveries, perSecond: (1000 * deliveries) / tookMs };
}

async function newestVersion({ server }: WatchedSide): Promise<string> {
  const connection = await LightConnection.open(server);
  const { bytes } = await connection.ask("GET", `${configMaps.collection("kube-public")}?limit=1`);
  connection.close();
  const version = /"resourceVersion":"([0-9]+)"/.exec(bytes.toString("utf8"))?.[1];
  if (version === undefined) throw new Error("the list does not tell its version");
  return version;
}
