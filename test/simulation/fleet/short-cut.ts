// SPDX-License-Identifier: Apache-2.0
// A calm world in which the agent's connection breaks for a second.
import type { World } from "../../support/sim/world.ts";
import { startCast } from "./cast.ts";
import { runUntilEqual, runWrites } from "./scenario.ts";

/** How long nothing passes. */
const cutMs = 1_000;

/** Longest until the agent is back: its first waits, a dial under way when the link came back, the greeting. */
const backMs = 6_000;

/** What a cut of a second led to. */
export interface ShortCut {
  /** Greetings and their answers since the cut, in order. */
  readonly greetings: readonly string[];
  readonly violations: readonly string[];
}

/**
 * Cuts the only agent's stream, and the link with it for a second. In half of the worlds the hub is not told, and takes
 * its session for live.
 */
export async function runShortCut(world: World): Promise<ShortCut> {
  const cast = startCast(world, { clusterCount: 1, troubles: [] });
  const { network, judge } = cast;
  await runWrites(cast, 3_000);
  await runUntilEqual(cast, 30_000);
  const isHalf = world.random.fork("cut").int(2) === 0;
  judge.listen();
  network.setRefusing("hub", true);
  for (const stream of network.streams) {
    if (isHalf) network.halfOpen(stream, "client");
    else stream.cut();
  }
  await world.run(cutMs);
  network.setRefusing("hub", false);
  await world.runUntil("the agent is back", () => judge.heard.includes("down welcome"), backMs);
  const greetings = judge.heard.filter((each) => /hello|welcome|rejected/.test(each));
  await runUntilEqual(cast, 30_000);
  return { greetings, violations: judge.violations };
}
