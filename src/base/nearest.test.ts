// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { findNearest } from "./nearest.ts";

const names = ["port", "http-port", "data-dir", "log-level", "log-format"];

test.each([
  ["prot", "port"],
  ["pot", "port"],
  ["dataDir", "data-dir"],
  ["DATA_DIR", "data-dir"],
  ["loglevle", "log-level"],
  ["httpport", "http-port"],
])("%s was probably meant to be %s", (name, expected) => {
  expect(findNearest(name, names)).toBe(expected);
});

test.each(["colour", "x", "", "p".repeat(100_000)])("nothing is near %.20s", (name) => {
  expect(findNearest(name, names)).toBeUndefined();
});
