// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../../../scripts/project.ts";
import { runSeed } from "./run-seed.ts";
import { type SoakWorld, soakWorlds } from "./soak-worlds.ts";

function worldOf(run: SoakWorld["run"], everySeeds = 1): SoakWorld {
  return { name: "small", everySeeds, testFile: "a.test.ts", testName: "all is well", run };
}

test("[SI27] a violation comes with the command that runs its seed alone", async () => {
  const { violations } = await runSeed(7, [worldOf(async () => ["a row is missing", "another is"])]);
  expect(violations).toEqual([
    {
      world: "small",
      seed: 7,
      text: "a row is missing (and 1 more)",
      replay: "SIM_SEED=7 npx vitest run test/simulation/a.test.ts -t 'all is well'",
    },
  ]);
});

test("[SI27] a world that throws or leaves something behind is a violation", async () => {
  const broken = worldOf(() => Promise.reject(new Error("deadlock")));
  const leaky = worldOf(async (world) => {
    world.clock.setTimer(1e9, () => undefined);
    return [];
  });
  const { violations } = await runSeed(7, [broken, leaky]);
  expect(violations.map(({ text }) => text)).toEqual(["deadlock", "left behind at the end of the world: 1 timers"]);
});

test("[SI1, SI27] one seed in 50 is run twice, and a second run that is another is a violation", async () => {
  let runCount = 0;
  const drifting = worldOf(async (world) => {
    runCount += 1;
    world.trace.add(`run ${runCount}`);
    return [];
  });
  expect((await runSeed(51, [drifting])).violations).toEqual([]);
  expect((await runSeed(50, [drifting])).violations).toMatchObject([
    { text: "a second run of the seed was not the same" },
  ]);
  expect(runCount).toBe(3);
});

test("[SI27] a rarer world has its turn with the multiples of its number", async () => {
  const seeds: number[] = [];
  const rare = worldOf(async ({ seed }) => {
    seeds.push(seed);
    return [];
  }, 3);
  for (const seed of [1, 2, 3, 4, 5, 6]) await runSeed(seed, [rare]);
  expect(seeds).toEqual([3, 6]);
});

test.each(soakWorlds.map((world) => [world.name, world] as const))(
  "[SI27] the replay line of world %s names a test that takes SIM_SEED",
  (_name, { testFile, testName }) => {
    const files = [join(root, "test/simulation", testFile)];
    if (testFile === "fleet-1.test.ts") files.push(join(root, "test/simulation/fleet/seed-suite.ts"));
    const text = files.map((file) => readFileSync(file, "utf8")).join("\n");
    expect(text.split(testName)).toHaveLength(2);
    expect(text).toContain("seedsToRun(");
  },
);
