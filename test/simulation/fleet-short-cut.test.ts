// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { seedsToRun, simulate } from "../support/sim/simulate.ts";
import { groupSeeds } from "./fleet/seed-groups.ts";
import { runShortCut } from "./fleet/short-cut.ts";

test.each(groupSeeds(seedsToRun(40), 20))(
  "[N-44, SE10] after a cut of a second the first greeting is answered with Welcome, also where the hub still takes the session before for live",
  { timeout: 60_000 },
  async (...seeds) => {
    for (const seed of seeds)
      await simulate(seed, async (world) => {
        const { greetings, violations } = await runShortCut(world);
        expect(violations).toEqual([]);
        expect(greetings).toEqual(["up hello", "down welcome"]);
      });
  },
);
