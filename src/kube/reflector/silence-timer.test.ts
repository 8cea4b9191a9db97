// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { ManualClock } from "../../base/testing/manual-clock.ts";
import type { Clock } from "../../base/time/clock.ts";
import { SilenceTimer } from "./silence-timer.ts";

test("[KU13] what is heard in time is no silence, and time in which nobody listened does not count", async () => {
  const clock = new ManualClock();
  let silenceCount = 0;
  using timer = new SilenceTimer(clock, 1_000, () => (silenceCount += 1));
  timer.listen();
  await clock.advance(1_000 - 1);
  timer.heard();
  await clock.advance(5_000);
  timer.listen();
  await clock.advance(999);
  expect(silenceCount).toBe(0);
  await clock.advance(1);
  expect(silenceCount).toBe(1);
});

test("[KU13] silence of before counts: only the rest of the time is left, also where more was left a moment ago", async () => {
  const clock = new ManualClock();
  let silenceCount = 0;
  using timer = new SilenceTimer(clock, 1_000, () => (silenceCount += 1));
  timer.listen();
  timer.heard();
  timer.listen(600);
  await clock.advance(399);
  expect(silenceCount).toBe(0);
  await clock.advance(1);
  expect(silenceCount).toBe(1);
});

test("[KU13] a process that slept takes what it hears then for silence: it may have been said long ago, and nothing since", () => {
  let nowMs = 0;
  // Timers do not run in a process that sleeps, and what waits to be read may come before them when it goes on.
  const clock: Clock = {
    nowMs: () => nowMs,
    wallMs: () => nowMs,
    setTimer: () => () => undefined,
    sleep: () => Promise.resolve(),
  };
  let silenceCount = 0;
  using timer = new SilenceTimer(clock, 1_000, () => (silenceCount += 1));
  timer.listen();
  nowMs = 1_000;
  timer.heard();
  expect(silenceCount).toBe(0);
  timer.listen();
  nowMs = 2_001;
  timer.heard();
  expect(silenceCount).toBe(1);
});
