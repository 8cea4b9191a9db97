// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { durationWords, exactDurationWords } from "./duration-words.ts";

test.each([
  [-5, "0 s", "0 s"],
  [999, "0 s", "0 s"],
  [59_999, "59 s", "59 s"],
  [60_000, "1 min", "1 min"],
  [3_599_000, "59 min", "59 min 59 s"],
  [4_800_000, "1 h", "1 h 20 min"],
  [86_400_000, "1 d", "1 d"],
  [100_000_000, "1 d", "1 d 3 h"],
])("%d ms is %s, exactly %s", (ms, words, exact) => {
  expect([durationWords(ms), exactDurationWords(ms)]).toEqual([words, exact]);
});
