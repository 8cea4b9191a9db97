// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { replayLine, seedsToRun, simulate } from "./simulate.ts";

test("[SI6] a failing run (of any name) says why, how to replay it, and what came last", async () => {
  const failing = simulate(42, async (world) => {
    world.trace.add("the last event");
    await world.runUntil("a miracle", () => false, 10);
  });
  const error: unknown = await failing.catch((reason: unknown) => reason);
  const lines = error instanceof Error ? error.message.split("\n") : [];
  expect(lines[0]).toContain('deadlock: "a miracle"');
  expect(lines[1]).toBe(
    String.raw`replay: SIM_SEED=42 npx vitest run test/support/sim/simulate.test.ts -t '\[SI6\] a failing run \(of any name\) says why, how to replay it, and what came last'`,
  );
  expect(lines.at(-1)).toBe("0 the last event");
});

test("[SI6] the pattern of a replay line matches the name it was made from, whatever is in it", () => {
  const name = "[L1] it's 100 % (a|b) {x} ^$ \\ *+?.";
  const quoted = /-t '(.*)'$/.exec(replayLine(1, "x.test.ts", name))?.[1] ?? "";
  expect(new RegExp(quoted.replaceAll("'\\''", "'")).test(name)).toBe(true);
});

test("[SI6] SIM_SEED runs that seed alone, SIM_SEED_COUNT more of them", () => {
  expect(seedsToRun(3, {})).toEqual([1, 2, 3]);
  expect(seedsToRun(3, { SIM_SEED: "77" })).toEqual([77]);
  expect(seedsToRun(3, { SIM_SEED: "" })).toEqual([1, 2, 3]);
  expect(seedsToRun(3, { SIM_SEED_COUNT: "5" })).toEqual([1, 2, 3, 4, 5]);
});

test("[SI7] a scenario that leaves something behind fails", async () => {
  const leaking = simulate(1, async (world) => {
    world.clock.setTimer(5, () => undefined);
  });
  await expect(leaking).rejects.toThrow("left behind at the end of the world: 1 timers");
});
