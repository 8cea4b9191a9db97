// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { formatRelative } from "./relative-time.ts";

test.each([
  [0, "now"],
  [-999, "now"],
  [-1_000, "1s ago"],
  [-90_000, "90s ago"],
  [-120_000, "2m ago"],
  [-7_199_999, "119m ago"],
  [-47 * 3_600_000, "47h ago"],
  [30 * 86_400_000, "in 30d"],
  [30 * 86_400_000 - 40, "in 30d"],
  [59_000, "in 59s"],
])("%d ms from now is %s", (distanceMs, expected) => {
  expect(formatRelative(1e12 + distanceMs, 1e12)).toBe(expected);
});
