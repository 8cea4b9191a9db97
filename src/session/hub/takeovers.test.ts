// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { Takeovers } from "./takeovers.ts";

test("[SE42] ten takeovers of a claim fit into a minute; the eleventh waits for the first to be a minute old", () => {
  const takeovers = new Takeovers();
  for (let at = 0; at < 10; at += 1) {
    expect(takeovers.waitMs("a", at * 1_000)).toBe(0);
    takeovers.note("a", at * 1_000);
  }
  expect(takeovers.waitMs("a", 10_000)).toBe(50_000);
  expect(takeovers.waitMs("b", 10_000)).toBe(0);
  expect(takeovers.waitMs("a", 60_000)).toBe(0);
  takeovers.note("a", 60_000);
  expect(takeovers.waitMs("a", 60_000)).toBe(1_000);
});
