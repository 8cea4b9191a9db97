// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { createSeededRandom } from "../../base/random.ts";
import { generateName, isGeneratedFrom } from "./generate-name.ts";

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

test("a generated name is known as one, and others are not", () => {
  const random = createSeededRandom("names");
  for (const base of ["web-", "a".repeat(70)]) expect(isGeneratedFrom(base, generateName(base, random))).toBe(true);
  for (const name of ["web-", "web-abcde", "web-bcdf", "web-bcdfgh", "api-bcdfg"])
    expect(isGeneratedFrom("web-", name)).toBe(false);
});
