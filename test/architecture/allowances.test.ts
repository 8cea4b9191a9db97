// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { type Allowance, applyAllowances } from "./allowances.ts";

const door: Allowance = { rule: "process", path: "src/hub/a.ts", reason: "a door" };
const found = { rule: "process", path: "src/hub/a.ts", line: 3, message: "reads env" };

test("an allowance takes away the violations of its rule in its file, and no others", () => {
  const others = [
    { ...found, rule: "length" },
    { ...found, path: "src/hub/b.ts" },
  ];
  expect(applyAllowances([found, { ...found, line: 9 }, ...others], [door]).remaining).toEqual(others);
});

test("an allowance that nothing needs is reported", () => {
  expect(applyAllowances([{ ...found, path: "src/hub/b.ts" }], [door]).unused).toEqual([door]);
  expect(applyAllowances([found], [door]).unused).toEqual([]);
});
