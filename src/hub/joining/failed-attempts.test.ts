// SPDX-License-Identifier: Apache-2.0
import { beforeEach, expect, test } from "vitest";
import { ManualClock } from "../../base/testing/manual-clock.ts";
import { FailedAttempts } from "./failed-attempts.ts";

let clock: ManualClock;
let failures: FailedAttempts;

beforeEach(() => {
  clock = new ManualClock();
  failures = new FailedAttempts(clock, "logins");
});

function fail(address: string, count: number): void {
  for (let each = 0; each < count; each += 1) failures.noteFailure(address);
}

function isAllowed(address: string): boolean {
  try {
    failures.assertAllowed(address);
    return true;
  } catch (reason) {
    expect(reason).toMatchObject({ code: "OVERLOADED" });
    return false;
  }
}

test("[PG1, RP52] after 20 failures in a minute an address waits, is told how long, and others do not wait with it", async () => {
  fail("10.0.0.1", 19);
  expect(isAllowed("10.0.0.1")).toBe(true);
  await clock.advance(30_000);
  fail("10.0.0.1", 1);
  expect(isAllowed("10.0.0.1")).toBe(false);
  expect(isAllowed("10.0.0.2")).toBe(true);
  expect(() => failures.assertAllowed("10.0.0.1")).toThrow("try again in 30 seconds");
  await clock.advance(29_000);
  expect(() => failures.assertAllowed("10.0.0.1")).toThrow("try again in 1 second");
  await clock.advance(1_000);
  expect(isAllowed("10.0.0.1")).toBe(true);
});

test("a new window counts from one again", async () => {
  fail("10.0.0.1", 20);
  await clock.advance(60_000);
  fail("10.0.0.1", 19);
  expect(isAllowed("10.0.0.1")).toBe(true);
  fail("10.0.0.1", 1);
  expect(isAllowed("10.0.0.1")).toBe(false);
});

test("the addresses of one IPv6 network are one sender, and a mapped IPv4 address is itself", () => {
  fail("2001:db8:0:1::1", 10);
  fail("2001:db8:0:1:ffff::2", 10);
  expect(isAllowed("2001:db8:0:1:a:b:c:d")).toBe(false);
  expect(isAllowed("2001:db8::1:0:0:0:1")).toBe(false);
  expect(isAllowed("2001:db8:0:2::1")).toBe(true);
  fail("::ffff:10.0.0.1", 20);
  expect(isAllowed("10.0.0.1")).toBe(false);
  expect(isAllowed("::ffff:10.0.0.2")).toBe(true);
  expect(isAllowed("::1")).toBe(true);
});

test("of more than ten thousand addresses the one whose window is oldest is forgotten", () => {
  fail("first", 20);
  fail("second", 20);
  for (let each = 0; each < 9_999; each += 1) failures.noteFailure(`a${each}`);
  expect(isAllowed("first")).toBe(true);
  expect(isAllowed("second")).toBe(false);
});
