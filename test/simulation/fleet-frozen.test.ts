// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { seedsToRun, simulate } from "../support/sim/simulate.ts";
import { runFrozenAgent } from "./fleet/frozen-agent.ts";

/**
 * One in five of them shows a cluster that is called live before the rows of the time between have come, where that can
 * be.
 */
const seedCount = 40;

test.each(seedsToRun(seedCount))(
  "[SI25, L8, HE4, U-53] seed %i: a cluster whose agent was frozen is not live before its rows have what happened meanwhile",
  { timeout: 30_000 },
  async (seed) => {
    await simulate(seed, async (world) => expect(await runFrozenAgent(world)).toEqual([]));
  },
);
