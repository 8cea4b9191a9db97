// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { seedsToRun, simulate } from "../support/sim/simulate.ts";
import { measureRest } from "./fleet/hanging-clusters.ts";
import { heartbeatMs } from "./fleet/timing.ts";

// One seed takes seconds, so SIM_SEED_COUNT does not make it more.
test.each(seedsToRun(1, { SIM_SEED: process.env["SIM_SEED"] }))(
  "[Q-26, L14] seed %i: with 5 of 100 clusters hanging the changes of the others are shown as soon as with none",
  { timeout: 300_000 },
  async (seed) => {
    await simulate(seed, async (world) => {
      const { calmMs, hangingMs } = await measureRest(world);
      expect(hangingMs).toBeLessThanOrEqual(calmMs + heartbeatMs);
    });
  },
);
