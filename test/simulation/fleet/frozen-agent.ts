// SPDX-License-Identifier: Apache-2.0
// A calm world in which the agent does nothing for a while and then goes on, as a process that was stopped or a machine
// that slept.
import type { World } from "../../support/sim/world.ts";
import { startCast } from "./cast.ts";
import { pick } from "./fault.ts";
import { runUntilEqual, runWrites } from "./scenario.ts";
import { honestMs, syncIntervalMs } from "./timing.ts";

/** Longer than a row of a live cluster may be behind. */
const shortestFreezeMs = honestMs + 1_000;

/** Looks come so close after the thaw: a lie of a moment is one too. */
const lookMs = 10;
const lookCount = 150;

/** The longest that the way back takes: a session and its claim, watches that are silent, two digest exchanges. */
const wayBackMs = 4 * syncIntervalMs;

/**
 * One agent is frozen for longer than the bound while its cluster changes, and its watches go on, are reset, or fall
 * silent. Answers what was not as promised.
 */
export async function runFrozenAgent(world: World): Promise<readonly string[]> {
  const random = world.random.fork("freeze");
  const cast = startCast(world, { clusterCount: 1 });
  const [agent] = cast.agents;
  if (agent === undefined) return ["there is no agent"];
  await runWrites(cast, 4_000);
  agent.steps.freeze();
  const how = pick(random, ["goOn", "reset", "silence"] as const);
  if (how !== "goOn") agent.cluster.server.breakWatches(how);
  await runWrites(cast, shortestFreezeMs + random.int(shortestFreezeMs));
  agent.steps.thaw(pick(random, ["timers", "reads"] as const), world.clock);
  for (let count = 0; count < lookCount; count += 1) {
    await world.run(lookMs);
    if (cast.hub.fleet !== undefined) cast.judge.lookAtLive(cast.hub.fleet);
  }
  await runUntilEqual(cast, wayBackMs);
  return cast.judge.violations;
}
