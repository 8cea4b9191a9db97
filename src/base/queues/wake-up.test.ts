// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { ManualClock } from "../testing/manual-clock.ts";
import { WakeUp } from "./wake-up.ts";

const never = new AbortController().signal;

test("a wake-up while nothing waits ends the next wait at once, and only that one", async () => {
  const clock = new ManualClock();
  const wakeUp = new WakeUp();
  wakeUp.wake();
  wakeUp.wake();
  await wakeUp.wait();
  const next = wakeUp.waitAtMost(clock, 100, never);
  await clock.advance(100);
  expect(await next).toBe(false);
});

test("a wait with a limit says whether it was woken, and its timer ends with it", async () => {
  const clock = new ManualClock();
  const wakeUp = new WakeUp();
  const woken = wakeUp.waitAtMost(clock, 100, never);
  await clock.advance(99);
  wakeUp.wake();
  expect(await woken).toBe(true);
  expect(clock.timerCount).toBe(0);
});

test("an aborted wait rejects with the signal's reason, and takes no wake-up from the next", async () => {
  const wakeUp = new WakeUp();
  const stop = new AbortController();
  const aborted = wakeUp.wait(stop.signal);
  stop.abort(new Error("enough"));
  await expect(aborted).rejects.toThrow("enough");
  wakeUp.wake();
  await wakeUp.wait();
});
