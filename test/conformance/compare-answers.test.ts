// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { applyKnownDifferences, type KnownDifference } from "./apply-known-differences.ts";
import { compareAnswers, printDifference } from "./compare-answers.ts";
import type { PlayedStep } from "./play-scenario.ts";
import { fromLines, toLines } from "./recorded-answers.ts";

function played(step: string, status: number, body: unknown): PlayedStep {
  return { step, answer: { status, headers: {}, body } };
}

test("each differing place is named with both values; equal answers differ nowhere", () => {
  const real = [played("get", 200, { items: [{ a: 1 }, { a: 2 }], "x/y": "k" })];
  const ours = [played("get", 404, { items: [{ a: 1 }], "x/y": null })];
  expect(compareAnswers("s", real, real)).toEqual([]);
  expect(compareAnswers("s", real, ours)).toEqual([
    { scenario: "s", step: "get", path: "status", real: 200, ours: 404 },
    { scenario: "s", step: "get", path: "body.items[1]", real: { a: 2 }, ours: undefined },
    { scenario: "s", step: "get", path: 'body."x/y"', real: "k", ours: null },
  ]);
});

test("a step that only one side played differs as a whole", () => {
  const paths = compareAnswers("s", [played("a", 200, 1)], [played("b", 200, 1)]).map(({ step, path }) => [step, path]);
  expect(paths).toEqual([
    ["a", ""],
    ["b", ""],
  ]);
});

test("a printed difference says where it is and what both answered", () => {
  const difference = { scenario: "s", step: "get", path: "body.a", real: "x", ours: undefined };
  expect(printDifference(difference)).toBe('s: get\n  at    body.a\n  real  "x"\n  ours  (nothing)');
});

test("known differences are taken out, and an entry that meets none is unused", () => {
  const differences = [
    { scenario: "s", step: "get", path: "body.items[0].metadata.managedFields", real: 1, ours: undefined },
    { scenario: "s", step: "get", path: "body.kind", real: 1, ours: 2 },
  ];
  const used: KnownDifference = { scenario: "*", step: "g*", path: "*[0].metadata.managedFields", reason: "r" };
  const unused: KnownDifference = { scenario: "s", step: "get", path: "body.kin", reason: "r" };
  expect(applyKnownDifferences(differences, [used, unused])).toEqual({ remaining: [differences[1]], unused: [unused] });
});

test("a recording reads back as it was written", () => {
  const topic = { kubernetes: "v1.2.3", scenarios: new Map([["s", [played("a", 200, { x: [1, "ü"] })]]]) };
  expect(fromLines(toLines(topic))).toEqual(topic);
});
