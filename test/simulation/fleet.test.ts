// SPDX-License-Identifier: Apache-2.0
// The hub and agents that ship, with everything around them going wrong. More seeds: SIM_SEED_COUNT=20000.
import { expect, test } from "vitest";
import { simulate } from "../support/sim/simulate.ts";
import type { World } from "../support/sim/world.ts";
import { runScenario } from "./fleet/scenario.ts";
import { seedGroups } from "./fleet/seed-groups.ts";

/** What must have happened somewhere in all seeds together, by a line of the trace; else the scenario has gone soft. */
const expectedEvents: Readonly<Record<string, RegExp>> = {
  cut: /^\d+ stream .* cut$/,
  "black hole": /^\d+ stream .* black hole$/,
  partition: /^\d+ partition /,
  "duplicate connect": /is the duplicate of/,
  "slow reader": /^\d+ reader on \S+ takes [1-9]/,
  "crashed agent": /^\d+ crash agent-/,
  "crashed hub process": /^\d+ crash hub process$/,
  "crashed hub machine": /^\d+ crash hub machine$/,
  "unsynced append lost": /^\d+ disk log keeps 0 of [1-9]\d* unsynced$/,
  "rival turned away": /session rejected .*reason=ACTIVE_SESSION/,
  "grace period waited out": /session rejected .*reason=GRACE_PERIOD/,
  "takeover by a copy": /^\d+ copy-\S+ info session with the hub is live/,
  paused: /session rejected .*reason=PAUSED/,
  "admitted later": /session rejected .*reason=OVERLOADED/,
  "buckets replaced": / up digests of the kinds$/,
  "history expired": /reflector failed.* fault=expired/,
  "API server lost": /verdict=lost/,
  "right taken away": /reflector failed.* fault=forbidden/,
  "kind gone": /reflector failed.* fault=notFound/,
  "outdated epoch refused": /^\d+ append of \S+ fenced$/,
};
const seenEvents = new Set<string>();
let seedsRun = 0;

/** Throws inside the world, so that the failure comes with its replay line. */
async function runOnce(world: World): Promise<void> {
  const violations = await runScenario(world, {});
  for (const [event, pattern] of Object.entries(expectedEvents)) {
    if (!seenEvents.has(event) && world.trace.lines.some((line) => pattern.test(line))) seenEvents.add(event);
  }
  expect(violations).toEqual([]);
}

/**
 * Seeds that show what is still open. 1231: a copied agent whose own watch is behind takes a cluster over and replaces buckets by its older list, so rows go whose
 * objects are there, until its watch goes on. A completed list of this incarnation is not proof enough (L4): the kind must be current too.
 */
const openSeeds: ReadonlySet<number> = new Set([1231]);

/** One seed in so many is run twice. */
const twiceEvery = 25;

test.each(seedGroups(1_900, 50))(
  "[SI1, N-1, N-24, N-33, N-42, N-48, N-49, R-12, L3, L4, L5, L7, L8, L9, L12] whatever goes wrong, no row is shown that never was, none goes while its object is there, nothing acknowledged is lost, no outdated epoch writes, live is true; afterwards the hub shows exactly what the clusters are, and rests",
  { timeout: 120_000 },
  async (...seeds) => {
    for (const seed of seeds) {
      if (openSeeds.has(seed)) continue;
      const first = await simulate(seed, runOnce);
      if (seed % twiceEvery === 1) expect(await simulate(seed, runOnce)).toEqual(first);
      seedsRun += 1;
    }
  },
);

test.fails.each([...openSeeds])("open: seed %i", async (seed) => {
  await simulate(seed, runOnce);
});

test("[SI11, SI12, SI14, SI16, SI20, N-25] the seeds together meet every fault and every way out of it", ({ skip }) => {
  if (seedsRun < 1_000) skip("only some seeds were run");
  expect(Object.keys(expectedEvents).filter((event) => !seenEvents.has(event))).toEqual([]);
});
