// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { createSeededRandom } from "../../base/random.ts";
import { generateName } from "./generate-name.ts";

test("adds five letters that form no words", () => {
  const random = createSeededRandom("names");
  const names = Array.from({ length: 500 }, () => generateName("web-", random));
  for (const name of names) expect(name).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/u);
  expect(new Set(names.join("").replaceAll("web-", "")).size).toBe(27);
});

test("keeps at most 58 bytes of the base", () => {
  const random = createSeededRandom("names");
  expect(generateName("a".repeat(58), random)).toHaveLength(63);
  expect(generateName("a".repeat(80), random)).toMatch(/^a{58}.{5}$/u);
  expect(generateName("é".repeat(40), random)).toMatch(/^é{29}.{5}$/u);
});
