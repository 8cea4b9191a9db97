// SPDX-License-Identifier: Apache-2.0
// The course of the fleet's world: writes and troubles, then none; then everything has to be as the clusters are, and
// to rest.
import type { SeededRandom } from "../../../src/base/random.ts";
import { rbacKinds } from "../../../src/kinds/core-kinds.ts";
import { resourceIdText } from "../../../src/model/gvr.ts";
import type { World } from "../../support/sim/world.ts";
import { findAccessDifferences } from "./access-readers.ts";
import { type Cast, type CastOptions, startCast } from "./cast.ts";
import { worldKinds } from "./cluster.ts";
import { pick } from "./fault.ts";
import { heartbeatMs, syncIntervalMs } from "./timing.ts";
import { startTroubles } from "./troubles.ts";

/** How often the judge looks at the hub while things happen. */
const sampleMs = 1_000;

/** Writes to the clusters while `forMs` pass, and has the judge look now and then. */
export async function runWrites({ world, clusters, hub, judge }: Cast, forMs: number): Promise<void> {
  const random = world.random.fork("writes");
  const untilMs = world.clock.nowMs() + forMs;
  let sampleAtMs = 0;
  while (world.clock.nowMs() < untilMs) {
    await world.run(50 + random.int(700));
    clusters[random.int(clusters.length)]?.write();
    if (hub.fleet === undefined || world.clock.nowMs() < sampleAtMs) continue;
    sampleAtMs = world.clock.nowMs() + sampleMs;
    judge.sample(hub.fleet);
  }
}

/**
 * Waits until the hub shows every cluster live and exactly as it is. False, and a violation, if that is not so after
 * `limitMs`.
 */
export async function runUntilEqual({ world, hub, judge }: Cast, limitMs: number): Promise<boolean> {
  const untilMs = world.clock.nowMs() + limitMs;
  for (;;) {
    const left = hub.fleet === undefined ? ["the hub is not there"] : judge.findDifferences(hub.fleet);
    if (left.length === 0) return true;
    if (hub.fleet !== undefined) judge.sample(hub.fleet);
    if (world.clock.nowMs() >= untilMs) {
      judge.violations.push(`after ${limitMs} ms without a fault differ: ${left.slice(0, 5).join("; ")}`);
      return false;
    }
    await world.run(500);
  }
}

/** Nothing happens: nothing but heartbeats and root digests passes, and the log does not grow (L5, L7). */
async function checkQuiet({ world, logDisk, judge }: Cast): Promise<void> {
  judge.listen();
  const before = logDisk.calls.length;
  await world.run(syncIntervalMs + heartbeatMs);
  const loud = judge.heard.filter((each) => each !== "up digests of the root");
  if (loud.length > 0) judge.violations.push(`in a quiet world passed ${loud.slice(0, 8).join(", ")}`);
  if (logDisk.calls.length > before) judge.violations.push("in a quiet world the fleet log grew");
}

/**
 * Longest way back: a paused agent asks again after a minute and a fifth, a copy holds the claim for a lease and the
 * grace period.
 */
export const wayBackMs = 110_000;

/**
 * By then every watch that has fallen silent was noticed and followed by another, and every stream without an agent was
 * let go of.
 */
export const afterglowMs = 12_000;

/** Clusters of a world: one in half of them, for speed. */
const clusterCounts = [1, 1, 2, 3];

/**
 * Faults and writes, then none: everything must come to what the clusters are; in some worlds, then rest. Answers what
 * was not as promised.
 */
export async function runScenario(
  world: World,
  options: Omit<CastOptions, "clusterCount">,
): Promise<readonly string[]> {
  const drawn = world.random.fork("scenario");
  const cast = startCast(world, { ...options, clusterCount: clusterCounts[drawn.int(clusterCounts.length)] ?? 1 });
  const troubles = startTroubles(cast, options.troubles);
  await runWrites(cast, 5_000 + drawn.int(14_000));
  for (const task of troubles) task.stop();
  await world.runUntil("the troubles have ended", () => troubles.every((task) => task.isSettled), 10_000);
  if (drawn.int(4) === 0) await runHarmed(cast, drawn);
  const isEqual = await runUntilEqual(cast, wayBackMs);
  if (isEqual) await checkAccess(cast);
  if (isEqual && drawn.int(3) === 0) await rest(cast, drawn.int(2) === 0);
  cast.judge.checkAcknowledged(cast.logDisk);
  return cast.judge.violations;
}

/** Users see what the clusters' own RBAC objects allow, soon after all rows are there (L17). */
async function checkAccess({ world, hub: { fleet }, clusters, judge }: Cast): Promise<void> {
  if (fleet === undefined) return;
  let left: readonly string[] = [];
  const task = world.spawn("check of access", async (signal) => {
    for (let triesLeft = 10; triesLeft > 0; triesLeft -= 1) {
      left = await findAccessDifferences(fleet, clusters);
      if (left.length === 0) return;
      await world.clock.sleep(500, signal);
    }
  });
  await world.runUntil("access is checked", () => task.isSettled, 30_000);
  if (left.length > 0) judge.violations.push(`at rest ${left.slice(0, 5).join("; ")}`);
}

/**
 * One kind of a cluster cannot be read, or a whole cluster: everything else comes to what it is all the same, and what
 * is harmed does not pass for current (L14, L9).
 */
async function runHarmed(cast: Cast, drawn: SeededRandom): Promise<void> {
  const { world, judge, clusters } = cast;
  const { id, server } = pick(drawn, clusters);
  // Grants that cannot be read make a whole cluster stale (L17).
  const kind = pick(
    drawn,
    worldKinds.filter((each) => !rbacKinds.includes(each)),
  );
  const resource = drawn.int(2) === 0 ? resourceIdText(kind.resource) : undefined;
  world.trace.add(`${id} is bad for a while: ${resource === undefined ? "all of it" : `kind ${resource}`}`);
  const undo =
    resource === undefined
      ? server.faults.add({ fault: { kind: "hang" }, matches: () => true })
      : server.faults.add({
          fault: { kind: "status", status: 500 },
          matches: ({ gvr }) => gvr !== undefined && resourceIdText(gvr) === resource,
        });
  server.breakWatches("reset", (each) => resource === undefined || resourceIdText(each) === resource);
  judge.excuse(id, resource);
  await runUntilEqual(cast, wayBackMs);
  judge.excuse(undefined, undefined);
  undo();
}

/**
 * Nothing travels and nothing is written in a world at rest, and when everybody in it starts again nothing but digests
 * does (L5).
 */
async function rest(cast: Cast, isRestarting: boolean): Promise<void> {
  const { world, hub, hubHost, agents, judge, logDisk } = cast;
  await world.run(afterglowMs);
  await runUntilEqual(cast, wayBackMs);
  await checkQuiet(cast);
  if (!isRestarting) return;
  const appendCount = (): number => logDisk.calls.filter(({ method }) => method === "append").length;
  const before = appendCount();
  judge.listen();
  for (const { host } of agents) host.crash("process");
  hubHost.crash("process");
  hub.forget();
  hubHost.restart();
  for (const { host } of agents) host.restart();
  await world.run(1_000);
  await runUntilEqual(cast, wayBackMs);
  const flushes = judge.heard.filter((each) => each === "up flush" || each === "down needBuckets");
  if (flushes.length > 0 || appendCount() > before)
    judge.violations.push(`after a restart without a change passed ${flushes.slice(0, 4).join(", ")}`);
}
