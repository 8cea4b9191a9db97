// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { systemClock } from "../../src/base/time/system-clock.ts";
import { openTimerCount } from "./open-timers.ts";

test("a timer counts until it is over or cancelled", async () => {
  const before = openTimerCount();
  const cancel = systemClock.setTimer(60_000, () => undefined);
  const interval = setInterval(() => undefined, 60_000);
  setTimeout(() => undefined, 60_000).unref();
  const wait = systemClock.sleep(1);
  expect(openTimerCount()).toBe(before + 3);
  await wait;
  cancel();
  clearInterval(interval);
  expect(openTimerCount()).toBe(before);
});
