// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { seedsToRun, simulate } from "../support/sim/simulate.ts";
import { World } from "../support/sim/world.ts";
import { faultyWatches, runScenario, type ScenarioOptions } from "./watch/scenario.ts";

const seeds = seedsToRun(20);
const faulty = faultyWatches;

/** What must have happened somewhere in all seeds together, by a line of the trace; else the scenario has gone soft. */
const expectedEvents: Readonly<Record<string, RegExp>> = {
  cut: /^\d+ stream .* cut$/,
  "black hole": /^\d+ stream .* black hole$/,
  partition: /^\d+ partition /,
  "duplicate connect": /is the duplicate of/,
  "refused dial": /client gets refused$/,
  "reset by a peer that is gone": /gets reset$/,
  "slow reader": /^\d+ reader on client-\w takes [1-9]/,
  "silence noticed": /code=DEADLINE_EXCEEDED/,
  "crashed process": /^\d+ crash hub process$/,
  "crashed machine": /^\d+ crash hub machine$/,
  "crashed client": /^\d+ crash client-/,
  "unsynced commit lost": /keeps 0 of [1-9]\d* unsynced$/,
  "unsynced commit kept": /keeps [1-9]\d* of [1-9]\d* unsynced$/,
  "relist after GONE": / relist /,
  conflict: / conflict /,
};
const seenEvents = new Set<string>();
let seedsRun = 0;

/** Throws inside the world, so that the failure comes with its replay line. */
async function runOnce(world: World): Promise<void> {
  const violations = await runScenario(world, faulty);
  for (const [event, pattern] of Object.entries(expectedEvents)) {
    if (!seenEvents.has(event) && world.trace.lines.some((line) => pattern.test(line))) seenEvents.add(event);
  }
  expect(violations).toEqual([]);
}

test.each(seeds)(
  "[SI1, L1, L3, U-30] seed %i: after all faults both clients show the store's state, each change came once, no acknowledged write is lost, nothing is left, and a second run is the same",
  async (seed) => {
    const first = await simulate(seed, runOnce);
    expect(await simulate(seed, runOnce)).toEqual(first);
    seedsRun += 1;
  },
);

test("[SI11, SI12, SI14, SI16, SI20] the seeds together meet every fault and every way out of it", ({ skip }) => {
  if (seedsRun < 20) skip("only some seeds were run");
  expect(Object.keys(expectedEvents).filter((event) => !seenEvents.has(event))).toEqual([]);
});

/** A violation that matches, of the first of 20 seeds that has one. */
async function findViolation(options: ScenarioOptions, pattern: RegExp): Promise<string | undefined> {
  for (const seed of seedsToRun(20, {})) {
    const violations = await runScenario(new World(seed), options).catch((reason: unknown) => [String(reason)]);
    const found = violations.find((violation) => pattern.test(violation));
    if (found !== undefined) return found;
  }
  return undefined;
}

test("[SI23, L3] a disk that answers before its fsync is found out by a lost write", async () => {
  expect(await findViolation({ ...faulty, diskAnswers: "beforeFsync" }, /acknowledged at \d+, is lost$/)).toBeDefined();
});

test("[L1, U-30] a client that resumes one revision too far is found out by a change it missed", async () => {
  const missed = /got \[(.*)\] between \d+ and \d+, where \[.+\1\] happened$/;
  expect(await findViolation({ ...faulty, resumeSkew: 1n }, missed)).toBeDefined();
});

test("[L1, U-30] a client that resumes one revision too early is found out by a change it saw twice", async () => {
  const repeated = /got \[.+(.*)\] between \d+ and \d+, where \[\1\] happened$/;
  expect(await findViolation({ ...faulty, resumeSkew: -1n }, repeated)).toBeDefined();
});
