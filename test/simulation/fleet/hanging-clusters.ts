// SPDX-License-Identifier: Apache-2.0
// A hundred clusters, some of which hang: how long changes of the others take to be shown.
import { defaultAdmissionRate } from "../../../src/session/hub/admission.ts";
import type { World } from "../../support/sim/world.ts";
import { type Cast, startCast } from "./cast.ts";

const clusterCount = 100;

/**
 * Clusters whose API servers take requests and never answer, and clusters whose agents read one message in some
 * seconds.
 */
const hungServerCount = 3;
const hungReaderCount = 2;
const hungCount = hungServerCount + hungReaderCount;

/** How often it is looked whether changes are shown. */
const lookEveryMs = 200;

/** Longest until a hundred clusters are there: admission, first lists, first syncs in turn. */
const firstSyncMs = 60_000;

/** Waits until each of these clusters is shown as it is; answers how long that took, in ms of the world. */
async function untilShown({ world, hub, judge }: Cast, ids: readonly string[]): Promise<number> {
  const startMs = world.clock.nowMs();
  let left = ids;
  for (;;) {
    const { fleet } = hub;
    if (fleet !== undefined) left = left.filter((id) => judge.findDifferences(fleet, [id]).length > 0);
    if (left.length === 0) return world.clock.nowMs() - startMs;
    if (world.clock.nowMs() - startMs > firstSyncMs) throw new Error(`not shown: ${left.join(", ")}`);
    await world.run(lookEveryMs);
  }
}

/**
 * Changes 95 of 100 clusters, with the other five well and then with those hanging; answers how long until all those
 * changes were shown.
 */
export async function measureRest(world: World): Promise<{ readonly calmMs: number; readonly hangingMs: number }> {
  // With the slow admission that one hub in four draws, a hundred clusters are there after 500 s.
  const cast = startCast(world, { clusterCount, troubles: [], admissionRate: defaultAdmissionRate });
  const { clusters, agents, network } = cast;
  const [bad, good] = [clusters.slice(0, hungCount), clusters.slice(hungCount)];
  const goodIds = good.map(({ id }) => id);
  await untilShown(
    cast,
    clusters.map(({ id }) => id),
  );
  for (const cluster of good) cluster.write();
  const calmMs = await untilShown(cast, goodIds);
  for (const { server } of bad.slice(0, hungServerCount)) {
    server.faults.add({ fault: { kind: "hang" }, matches: () => true });
    server.breakWatches("silence");
  }
  for (const { name } of agents.slice(hungServerCount, hungCount)) network.setReadDelay(name, 5_000);
  for (const cluster of bad) cluster.write();
  await world.run(3_000);
  for (const cluster of good) cluster.write();
  return { calmMs, hangingMs: await untilShown(cast, goodIds) };
}
