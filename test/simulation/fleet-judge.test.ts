// SPDX-License-Identifier: Apache-2.0
// The judge of the fleet's world is judged: each mistake that is put in on purpose is found.
import { expect, test, vi } from "vitest";
import { seedsToRun } from "../support/sim/simulate.ts";
import { World } from "../support/sim/world.ts";
import type { CastOptions } from "./fleet/cast.ts";
import { SimCluster } from "./fleet/cluster.ts";
import {
  failedListsAreEmpty,
  hidesOtherAgents,
  ignoresEpochs,
  remembersAnswers,
  showsRowsEarly,
  watchesLoseChanges,
} from "./fleet/known-bugs.ts";
import { runScenario } from "./fleet/scenario.ts";

/** Two hundred seeds take up to a minute where nothing else runs; the first that finds the mistake ends the search. */
vi.setConfig({ testTimeout: 180_000 });

type Wiring = Omit<CastOptions, "clusterCount">;

/** A violation that matches, of the first of 200 seeds that has one. The world of a broken run is left as it is. */
async function findViolation(wiring: Wiring, pattern: RegExp): Promise<string | undefined> {
  for (const seed of seedsToRun(200, {})) {
    const violations = await runScenario(new World(seed), wiring).catch((reason: unknown) => [String(reason)]);
    const found = violations.find((violation) => pattern.test(violation));
    if (found !== undefined) return found;
  }
  return undefined;
}

test("[SI23, L3, N-24] a hub that acknowledges before its log is durable is found out by a flush that is lost", async () => {
  const wiring: Wiring = { diskAnswers: "beforeFsync", troubles: ["hub", "hub step"] };
  expect(await findViolation(wiring, /, acknowledged, is lost$/)).toBeDefined();
});

test("[L4] an agent that takes a failed list for an empty one is found out by a row that goes", async () => {
  const wiring: Wiring = { wrapSource: failedListsAreEmpty, troubles: ["answers", "watches"] };
  expect(await findViolation(wiring, / loses the row of .*, which is there$/)).toBeDefined();
});

test("[SI29, L2, L17] an index that remembers what a user saw is found out by rows that no state allows", async () => {
  const wiring: Wiring = { wrapIndex: remembersAnswers, troubles: ["hub"] };
  expect(await findViolation(wiring, / is listed to user-\d as no state allows: /)).toBeDefined();
});

test("[SI29, L2, L17] an index that shows rows before the grants are complete is found out by a user who sees them", async () => {
  const wiring: Wiring = { wrapIndex: showsRowsEarly, troubles: ["answers", "agents"] };
  expect(await findViolation(wiring, / is listed to user-\d as no state allows: \S+\/| is told of /)).toBeDefined();
});

const slowUnpacking: Wiring = { troubles: ["streams"], unpackDelay: { minMs: 0, maxMs: 1_500 } };

test("[SE11, N-48] a log that does not look at epochs is found out by a write of an outdated one", async () => {
  const wiring: Wiring = { ...slowUnpacking, wrapLog: ignoresEpochs };
  expect(await findViolation(wiring, /is written in epoch \d+, after \d+ began$/)).toBeDefined();
});

test("[SE11, N-48] the log that ships refuses them in the same worlds", async () => {
  for (const seed of seedsToRun(10, {})) expect(await runScenario(new World(seed), slowUnpacking)).toEqual([]);
});

test("[L7, L8] a watch that loses changes in silence is found out by a cluster that is called live and is not", async () => {
  const wiring: Wiring = { wrapSource: watchesLoseChanges, troubles: [] };
  expect(await findViolation(wiring, / is live and current, and .* after \d+ ms$/)).toBeDefined();
});

const lateCopies: Wiring = { hasLateCopies: true, troubles: ["handover"] };

test("[SE36, L4] an agent that replaces rows by a list from before its takeover is found out by a row that goes", async () => {
  const wiring: Wiring = { ...lateCopies, onPassage: hidesOtherAgents };
  expect(await findViolation(wiring, / loses the row of .*, which is there$/)).toBeDefined();
});

test("[SE36, L4] the agent that ships lists anew in the same worlds, and no row goes", async () => {
  for (const seed of seedsToRun(25, {})) expect(await runScenario(new World(seed), lateCopies)).toEqual([]);
});

test("rows that lack an object written in this very millisecond are not called equal (seed 1002556)", () => {
  const { truth } = new SimCluster(new World(1), "c0");
  const missing = truth.resources.flatMap((resource) => truth.findDifferences(resource, [], 0));
  expect(missing.length).toBeGreaterThan(0);
});
