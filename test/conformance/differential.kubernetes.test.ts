// SPDX-License-Identifier: Apache-2.0
// Is what was recorded still what a real server answers? Also shows that nothing in the recording depends on the run.
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeOnKit } from "../kubernetes/describe-on-kit.ts";
import { isWholeRun } from "../kubernetes/whole-run.ts";
import { compareAnswers, printDifference } from "./compare-answers.ts";
import { type Oracle, startOracle } from "./oracle.ts";
import type { PlayedStep } from "./play-scenario.ts";
import { playTopics } from "./play-topics.ts";
import { readRecordedTopic } from "./recorded-answers.ts";
import { topics } from "./scenarios/topics.ts";

/** All take half a minute on two cores; `npm test` plays every third. */
const chosen = isWholeRun() ? topics : topics.filter((_topic, index) => index % 3 === 0);

describeOnKit("what was recorded of it", ["controllers"], (kit) => {
  let oracle: Oracle;
  let live: ReadonlyMap<string, ReadonlyMap<string, readonly PlayedStep[]>>;

  beforeAll(async () => {
    oracle = await startOracle(kit);
    live = await playTopics(oracle, chosen);
  }, 300_000);
  afterAll(() => oracle.close());

  test.for(chosen)("the recorded answers about $name are those of the live server", ({ name, scenarios }, { skip }) => {
    const recorded = readRecordedTopic(name);
    skip(recorded.kubernetes !== oracle.version, `recorded of ${recorded.kubernetes}, this is ${oracle.version}`);
    const differences = scenarios.flatMap(({ id }) =>
      compareAnswers(id, live.get(name)?.get(id) ?? [], recorded.scenarios.get(id) ?? []),
    );
    expect(differences.map(printDifference)).toEqual([]);
  });
});
