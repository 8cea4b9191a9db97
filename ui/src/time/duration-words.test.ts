// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { durationWords } from "./duration-words.ts";

test.each([
  [-5, "0 s"],
  [999, "0 s"],
  [59_999, "59 s"],
  [60_000, "1 min"],
  [3_599_000, "59 min"],
  [4_800_000, "1 h"],
  [86_400_000, "1 d"],
  [100_000_000, "1 d"],
])("%d ms is %s", (ms, words) => {
  expect(durationWords(ms)).toBe(words);
});
