// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { humanAge, humanDuration } from "./human-duration.ts";

const [second, minute, hour, day, year] = [1_000, 60_000, 3_600_000, 86_400_000, 365 * 86_400_000];

test.each([
  [-2 * second, "<invalid>"],
  [-1.5 * second, "0s"],
  [0, "0s"],
  [119.9 * second, "119s"],
  [2 * minute, "2m"],
  [9 * minute + 59 * second, "9m59s"],
  [10 * minute + 59 * second, "10m"],
  [179 * minute, "179m"],
  [3 * hour, "3h"],
  [7 * hour + 59 * minute, "7h59m"],
  [47 * hour, "47h"],
  [2 * day, "2d"],
  [7 * day + 23 * hour, "7d23h"],
  [8 * day + 23 * hour, "8d"],
  [2 * year - hour, "729d"],
  [2 * year, "2y"],
  [7 * year + 364 * day, "7y364d"],
  [9 * year + 364 * day, "9y"],
])("[KI30] a duration of %d ms is printed as %s", (durationMs, text) => {
  expect(humanDuration(durationMs)).toBe(text);
});

test("[CO21] the age of a time that was not reported is unknown", () => {
  expect(humanAge(0, 5_000)).toBe("<unknown>");
  expect(humanAge(1, 5_001)).toBe("5s");
});
