// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { BugError } from "../assert.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { DueTimer } from "./due-timer.ts";

function setUp(): { clock: ManualClock; timer: DueTimer<string>; seen: string[] } {
  const clock = new ManualClock();
  const seen: string[] = [];
  const timer = new DueTimer<string>(clock, (value) => seen.push(`${value}@${clock.nowMs()}`));
  return { clock, timer, seen };
}

test("each value comes at its time, and one timer serves them all", async () => {
  const { clock, timer, seen } = setUp();
  timer.start();
  timer.push(30, "c");
  timer.push(10, "a");
  timer.push(20, "b");
  timer.push(10, "a2");
  expect(clock.timerCount).toBe(1);
  await clock.advance(100);
  expect(seen).toEqual(["a@10", "a2@10", "b@20", "c@30"]);
  expect(clock.timerCount).toBe(0);
});

test("a value that left does not come, and those behind it come on time", async () => {
  const { clock, timer, seen } = setUp();
  timer.start();
  const leave = timer.push(10, "a");
  timer.push(20, "b");
  leave();
  leave();
  expect(timer.length).toBe(1);
  await clock.advance(100);
  expect(seen).toEqual(["b@20"]);
});

test("stopped, it holds no timer and forgets nothing", async () => {
  const { clock, timer, seen } = setUp();
  timer.push(10, "before start");
  expect(clock.timerCount).toBe(0);
  timer.start();
  timer.stop();
  timer.push(50, "while stopped");
  await clock.advance(20);
  expect([seen, clock.timerCount]).toEqual([[], 0]);
  timer.start();
  await clock.advance(100);
  expect(seen).toEqual(["before start@20", "while stopped@50"]);
});

test("a callback may add values", async () => {
  const clock = new ManualClock();
  let runCount = 0;
  const timer: DueTimer<string> = new DueTimer(clock, (value) => {
    runCount += 1;
    if (runCount < 3) timer.push(5, value);
  });
  timer.start();
  timer.push(5, "again");
  await clock.advance(15);
  expect(runCount).toBe(3);
});

test("a delay that is no number is a bug of the caller", () => {
  expect(() => setUp().timer.push(Number.NaN, "a")).toThrow(BugError);
});
