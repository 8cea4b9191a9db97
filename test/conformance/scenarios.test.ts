// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { kitVersions } from "../../scripts/kubernetes-kit.ts";
import { readRecordedTopic } from "./recorded-answers.ts";
import { topics } from "./scenarios/topics.ts";

const scenarios = topics.flatMap(({ scenarios: ofTopic }) => ofTopic);

function repeated(names: readonly string[]): readonly string[] {
  return names.filter((name, index) => names.indexOf(name) !== index);
}

test("topics, scenarios and the steps of a scenario have names of their own", () => {
  expect(repeated(topics.map(({ name }) => name))).toEqual([]);
  expect(repeated(scenarios.map(({ id }) => id))).toEqual([]);
  expect(scenarios.flatMap(({ id, steps }) => repeated(steps.map(({ name }) => `${id}: ${name}`)))).toEqual([]);
});

test("more than 230 requests are compared, and more than half of them are not refusals", () => {
  const answers = topics.flatMap(({ name }) => [...readRecordedTopic(name).scenarios.values()].flat());
  expect(answers.length).toBeGreaterThan(230);
  const acceptedCount = answers.filter(({ answer }) => answer.status < 400).length;
  expect(acceptedCount / answers.length).toBeGreaterThan(0.5);
});

test.each(topics)(
  "the recording about $name is of these steps and of the kit's version",
  ({ name, scenarios: ofTopic }) => {
    const recorded = readRecordedTopic(name);
    expect(recorded.kubernetes).toBe(kitVersions.kubernetes);
    const names = [...recorded.scenarios].map(([id, played]) => ({ id, steps: played.map(({ step }) => step) }));
    expect(names).toEqual(ofTopic.map(({ id, steps }) => ({ id, steps: steps.map((step) => step.name) })));
  },
);
