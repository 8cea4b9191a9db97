// SPDX-License-Identifier: Apache-2.0
// The course of a world in which users ask for objects: troubles, then none; then nothing is open, and every question
// is answered.
import { tunnelDeadlineMs } from "../../../src/hub/tunnels/tunnel-broker.ts";
import { maxTunnelsOfCluster } from "../../../src/session/tunnel/tunnel.ts";
import type { World } from "../../support/sim/world.ts";
import { type Cast, startCast } from "./cast.ts";
import { tunnelService } from "./hub.ts";
import { afterglowMs, runUntilEqual, runWrites, wayBackMs } from "./scenario.ts";
import { startTroubles } from "./troubles.ts";
import { AskedCluster, type WrapReads } from "./tunnel-cluster.ts";
import { type TunnelBug, TunnelDoor } from "./tunnel-door.ts";
import { TunnelJudge } from "./tunnel-judge.ts";
import { runThief } from "./tunnel-thief.ts";
import { LeftError, Users } from "./tunnel-users.ts";

export interface TunnelScenarioOptions {
  /** Deliberate faults of our own, which the judge must find. */
  readonly bug?: TunnelBug;
  readonly wrapReads?: WrapReads;
  /** The troubles there are; drawn when left out. */
  readonly troubles?: readonly string[];
}

/** Clusters of a world: one in half of them, for speed. */
const clusterCounts = [1, 2];
const thiefCount = 3;
const thiefPrefix = "thief-";

function isThief(host: string): boolean {
  return host.startsWith(thiefPrefix);
}

/** After its deadline a tunnel is open no longer than the hub waits for an agent to end it. */
const lingerMs = 5_000;

/** Users, writes and troubles, then none of them. Answers what was not as promised. */
export async function runTunnelScenario(world: World, options: TunnelScenarioOptions): Promise<readonly string[]> {
  const drawn = world.random.fork("scenario");
  const judge = new TunnelJudge(world);
  const { bug, wrapReads = (source) => source } = options;
  const tunnelDoor = new TunnelDoor({ world, judge, ...(bug === undefined ? {} : { bug }) });
  const cast = startCast(world, {
    clusterCount: clusterCounts[drawn.int(clusterCounts.length)] ?? 1,
    createCluster: (of, id) => new AskedCluster(of, id, judge, wrapReads),
    tunnelDoor,
  });
  const { network, clusters } = cast;
  const users = new Users({ world, clusters, door: tunnelDoor });
  const asking = world.spawn("users", (signal) => users.run(signal));
  const thieves = Array.from({ length: thiefCount }, (_, index) => `${thiefPrefix}${index}`).map((name) =>
    world.spawn(name, (signal) => runThief({ world, network, judge, name }, signal)),
  );
  await runWrites(cast, 1_500);
  const troubles = startTroubles(cast, options.troubles);
  await runWrites(cast, 1_500 + drawn.int(5_500));
  for (const task of [...troubles, ...thieves, asking]) task.stop();
  await world.runUntil("the last question has ended", () => asking.isSettled, tunnelDeadlineMs);
  await world.run(afterglowMs);
  await runUntilEqual(cast, wayBackMs);
  await runUntilNothingOpen(cast, judge);
  await checkAnswers(cast, judge, users);
  await checkLeaving(cast, judge, users);
  await runUntilEqual(cast, 0);
  return [...judge.violations, ...cast.judge.violations];
}

/** Streams, at either end, and reads. The ends of thieves are theirs. */
function findOpen({ network }: Cast, judge: TunnelJudge): readonly string[] {
  const left = network.streams
    .filter(({ route, server }) => route.service === tunnelService && (server.state === "open" || !isThief(route.from)))
    .map(
      ({ id, route, client, server }) => `stream ${id} of ${route.from}, ${client.state} there, ${server.state} here`,
    );
  return judge.openReadCount === 0 ? left : [...left, `${judge.openReadCount} reads`];
}

/** Where nobody asks nothing is open, as soon as the last tunnel's time is over. */
async function runUntilNothingOpen(cast: Cast, judge: TunnelJudge): Promise<void> {
  const { world } = cast;
  const untilMs = world.clock.nowMs() + tunnelDeadlineMs + lingerMs;
  while (findOpen(cast, judge).length > 0 && world.clock.nowMs() < untilMs) await world.run(500);
  const left = findOpen(cast, judge);
  if (left.length > 0) judge.violations.push(`where nobody asks is open: ${left.join("; ")}`);
}

/** All questions that may be open at a time are answered: so neither end still counts one of before. */
async function checkAnswers(cast: Cast, judge: TunnelJudge, users: Users): Promise<void> {
  let missingCount: number | undefined;
  void users.askAtOnce(maxTunnelsOfCluster, new AbortController().signal).then((count) => {
    missingCount = count;
  });
  await cast.world.runUntil("all have an answer", () => missingCount !== undefined, tunnelDeadlineMs);
  if (missingCount !== 0)
    judge.violations.push(`${missingCount} questions bring no object in a world without troubles`);
  await runUntilNothingOpen(cast, judge);
}

/**
 * A user who leaves ends the tunnel at both ends and the read at the API server, long before the read's own deadline
 * (TU4).
 */
async function checkLeaving(cast: Cast, judge: TunnelJudge, users: Users): Promise<void> {
  const { world, clusters } = cast;
  const undo = clusters.map(({ server }) =>
    server.faults.add({ fault: { kind: "hang" }, matches: ({ verb }) => verb === "get" }),
  );
  const leaving = new AbortController();
  void users.askAtOnce(2, leaving.signal);
  await world.run(500);
  if (judge.openReadCount === 0) judge.violations.push("no question comes to an API server");
  leaving.abort(new LeftError("all users left"));
  await world.run(1_000);
  const left = findOpen(cast, judge);
  if (left.length > 0) judge.violations.push(`where all have left is open: ${left.join("; ")}`);
  for (const each of undo) each();
}
