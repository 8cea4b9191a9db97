// SPDX-License-Identifier: Apache-2.0
// A calm world in which one message is lost.
import type { World } from "../../support/sim/world.ts";
import { startCast } from "./cast.ts";
import { runWrites } from "./scenario.ts";
import { heartbeatMs, syncIntervalMs } from "./timing.ts";

/**
 * The longest that a single loss may be seen: the silence it leaves is noticed, the agent comes back, two digest
 * exchanges.
 */
const mendingMs = 4 * syncIntervalMs;

/** A calm world in which exactly one drawn message is lost. Answers which, and what was not as promised. */
export async function runLostMessage(
  world: World,
): Promise<{ readonly lost: string; readonly violations: readonly string[] }> {
  const lostNumber = world.random.fork("lost message").int(90);
  let number = -1;
  let lost = "";
  const cast = startCast(world, {
    clusterCount: 1,
    onPassage: ({ direction, kind }) => {
      number += 1;
      if (number !== lostNumber) return "pass";
      lost = `${direction} ${kind}`;
      world.trace.add(`lost ${lost}`);
      return "lose";
    },
  });
  await runWrites(cast, 9_000);
  await world.runUntil("a message is lost", () => lost !== "", 90 * heartbeatMs);
  await world.run(mendingMs);
  const { judge, hub } = cast;
  const differences = hub.fleet === undefined ? ["the hub is not there"] : judge.findDifferences(hub.fleet);
  return { lost, violations: [...judge.violations, ...differences] };
}
