// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { optionTable } from "../config/option-table.ts";
import { verbs } from "./verbs.ts";

test("every verb that has options can be run, so no option is documented that nothing reads", () => {
  const named = new Set<string>(optionTable.flatMap(({ verbs: ofOption }) => ofOption));
  const runnable = new Set(verbs.map(({ name }) => name));
  expect([...named].filter((name) => !runnable.has(name))).toEqual([]);
});

test("a verb's name is one or two words, used once, and its summary one sentence", () => {
  const names = verbs.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { name, summary } of verbs) {
    expect(name).toMatch(/^[a-z]+(-[a-z]+)?( [a-z]+(-[a-z]+)?)?$/);
    expect(summary).toMatch(/^[A-Z][^\n]*\.$/);
  }
});
