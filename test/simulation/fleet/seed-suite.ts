// SPDX-License-Identifier: Apache-2.0
// The seeds of the fleet's world, shared out over several test files so that they run side by side.
import { expect, test } from "vitest";
import { seedsToRun, simulate } from "../../support/sim/simulate.ts";
import type { World } from "../../support/sim/world.ts";
import { expectedEvents } from "./expected-events.ts";
import { runScenario } from "./scenario.ts";
import { groupSeeds } from "./seed-groups.ts";

/** Seeds of all parts together in `npm test`; `npm run soak` runs more. */
const seedCount = 2_000;

const partCount = 4;

/** Seeds of one test: with two to a second they take a tenth of its limit. */
const groupSize = 25;
const groupLimitMs = 180_000;

/** One seed in so many is run twice. */
const twiceEvery = 25;

/** From so many seeds on a part must have met everything that can go wrong. */
const meetsAllCount = 400;

/** One of the four parts, and the names of its two tests: what every seed shows, and that the seeds are not soft. */
export interface SeedPart {
  readonly part: 1 | 2 | 3 | 4;
  readonly promise: string;
  readonly meeting: string;
}

/** Defines the tests of one part. SIM_SEED runs in each: the replay line names the file. */
export function defineSeedTests({ part, promise, meeting }: SeedPart): void {
  const all = seedsToRun(seedCount);
  const seeds = all.length === 1 ? all : all.filter((seed) => seed % partCount === part - 1);
  const seenEvents = new Set<string>();
  let runCount = 0;

  /** Throws inside the world, so that the failure comes with its replay line. */
  const runOnce = async (world: World): Promise<void> => {
    const violations = await runScenario(world, {});
    for (const [event, pattern] of Object.entries(expectedEvents)) {
      if (!seenEvents.has(event) && world.trace.lines.some((line) => pattern.test(line))) seenEvents.add(event);
    }
    expect(violations).toEqual([]);
  };

  test.each(groupSeeds(seeds, groupSize))(promise, { timeout: groupLimitMs }, async (...group) => {
    for (const seed of group) {
      const first = await simulate(seed, runOnce);
      const again = runCount % twiceEvery === 0 ? await simulate(seed, runOnce) : first;
      expect(again).toEqual(first);
      runCount += 1;
    }
  });

  test(meeting, ({ skip }) => {
    if (runCount < meetsAllCount) skip("only some seeds were run");
    expect(Object.keys(expectedEvents).filter((event) => !seenEvents.has(event))).toEqual([]);
  });
}
