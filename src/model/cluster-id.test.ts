// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { parseClusterId } from "./cluster-id.ts";

test.each(["production-east", "staging-west", "a", "0", "x".repeat(63)])(
  "[CO1][N-31] %s is a cluster id, unchanged",
  (text) => {
    expect(parseClusterId(text)).toBe(text);
  },
);

test.each([
  ["a:b", 'has ":" at position 2'],
  ["", "is empty"],
  ["Prod", 'has "P" at position 1'],
  ["x".repeat(64), "has 64 characters, the most is 63"],
  ["-a", 'begins with "-"'],
  ["a-", 'ends with "-"'],
  ["a\n", 'has "\\n" at position 2'],
  ["café", 'has "é" at position 4'],
])("[CO1][N-31] [lesson navigator-7.2.6] %j is refused with the reason", (text, reason) => {
  expect(() => parseClusterId(text)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
  expect(() => parseClusterId(text)).toThrow(reason);
});
