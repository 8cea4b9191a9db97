// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { HubClock } from "./hub-clock.ts";

test("[PG17] an age is a difference of hub times plus the local time since, independent of both clocks' values", () => {
  let localMs = 1_000_000;
  const clock = new HubClock(() => localMs);
  expect(clock.ageMs(5)).toBeUndefined();
  clock.note({ nowMs: 50_000, wallMs: 7_000_000 });
  expect(clock.ageMs(47_000)).toBe(3_000);
  localMs += 2_500;
  expect(clock.ageMs(47_000)).toBe(5_500);
  expect(clock.ageMs(60_000)).toBe(-7_500);
  expect(clock.silentMs).toBe(2_500);
});

test("[PG17] exact times are by the hub's wall clock", () => {
  let localMs = 9;
  const clock = new HubClock(() => localMs);
  clock.note({ nowMs: 50_000, wallMs: 7_000_000 });
  localMs += 1_000;
  expect(clock.wallAt(47_000)).toEqual(new Date(6_997_000));
  expect(clock.wallNow()).toEqual(new Date(7_001_000));
});

test("a local clock that goes back makes no age smaller than at receipt", () => {
  let localMs = 100;
  const clock = new HubClock(() => localMs);
  clock.note({ nowMs: 10, wallMs: 10 });
  localMs = 0;
  expect(clock.ageMs(4)).toBe(6);
});
