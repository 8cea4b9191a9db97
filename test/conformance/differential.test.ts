// SPDX-License-Identifier: Apache-2.0
// Our API server beside the real one: the same requests, and answers that a real kube-apiserver gave once. Runs
// anywhere.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { applyKnownDifferences } from "./apply-known-differences.ts";
import { compareAnswers, type Difference, printDifference } from "./compare-answers.ts";
import { knownDifferences } from "./known-differences.ts";
import { startOurServer } from "./our-server.ts";
import { playScenario } from "./play-scenario.ts";
import { readRecordedTopic } from "./recorded-answers.ts";
import { topics } from "./scenarios/topics.ts";
import type { ServerUnderTest } from "./server-under-test.ts";

const scenarios = topics.flatMap(({ name, scenarios: ofTopic }) =>
  ofTopic.map((scenario) => ({ topic: name, id: scenario.id, scenario })),
);

// The last test looks at what all others found.
describe("our API server answers as the real one did", { shuffle: false }, () => {
  let server: ServerUnderTest;
  const all: Difference[] = [];

  beforeAll(async () => {
    server = await startOurServer();
  });
  afterAll(() => server.close());

  test.each(scenarios)("$topic: $id", async ({ topic, id, scenario }) => {
    const real = readRecordedTopic(topic).scenarios.get(id) ?? [];
    const differences = compareAnswers(id, real, await playScenario(server, scenario, { gaps: "go on" }));
    all.push(...differences);
    expect(applyKnownDifferences(differences, knownDifferences).remaining.map(printDifference)).toEqual([]);
  });

  test("every known difference is still one: the list only shrinks", () => {
    expect(applyKnownDifferences(all, knownDifferences).unused).toEqual([]);
  });
});
