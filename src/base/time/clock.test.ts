// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { ManualClock } from "../testing/manual-clock.ts";
import type { Clock } from "./clock.ts";
import { systemClock } from "./system-clock.ts";

describe.each<[string, () => Clock]>([
  ["system", () => systemClock],
  ["manual", () => new ManualClock()],
])("%s clock", (_name, create) => {
  test("a sleep whose signal is aborted rejects with the reason given and leaves no timer", async () => {
    const stop = new AbortController();
    const sleeping = create().sleep(60_000, stop.signal);
    stop.abort(new Error("closing"));
    await expect(sleeping).rejects.toThrow("closing");
  });

  test("a sleep on an aborted signal never starts", async () => {
    await expect(create().sleep(60_000, AbortSignal.abort(new Error("already closing")))).rejects.toThrow(
      "already closing",
    );
  });

  test("monotonic time never goes back", () => {
    const clock = create();
    const first = clock.nowMs();
    expect(clock.nowMs()).toBeGreaterThanOrEqual(first);
  });
});

describe("manual clock", () => {
  test("timers run in order of due time, then of making, with the clock at their due time", async () => {
    const clock = new ManualClock();
    const ran: string[] = [];
    clock.setTimer(20, () => ran.push(`late@${clock.nowMs()}`));
    clock.setTimer(10, () => ran.push(`first@${clock.nowMs()}`));
    clock.setTimer(10, () => ran.push(`second@${clock.nowMs()}`));
    await clock.advance(15);
    expect(ran).toEqual(["first@10", "second@10"]);
    expect(clock.nowMs()).toBe(15);
    expect(clock.timerCount).toBe(1);
  });

  test("a loop that sleeps meets each of its wake-ups in one advance", async () => {
    const clock = new ManualClock();
    const stop = new AbortController();
    const wakes: number[] = [];
    const loop = (async () => {
      while (!stop.signal.aborted) {
        await clock.sleep(10, stop.signal);
        wakes.push(clock.nowMs());
      }
    })();
    await clock.advance(35);
    stop.abort(new Error("done"));
    await expect(loop).rejects.toThrow("done");
    expect(wakes).toEqual([10, 20, 30]);
    expect(clock.timerCount).toBe(0);
  });

  test("a wait for a fraction of a millisecond moves the clock, so that a loop around it comes to an end", async () => {
    const clock = new ManualClock();
    await clock.advance(1e9);
    const untilMs = clock.nowMs() + 5;
    const loop = (async () => {
      while (clock.nowMs() < untilMs) await clock.sleep((untilMs - clock.nowMs()) / 1e9);
    })();
    await clock.advance(5);
    await loop;
    expect(clock.nowMs()).toBe(untilMs);
  });

  test("a cancelled timer does not run", async () => {
    const clock = new ManualClock();
    let ran = false;
    const cancel = clock.setTimer(1, () => {
      ran = true;
    });
    cancel();
    await clock.advance(10);
    expect(ran).toBe(false);
  });
});

test("a system timer longer than setTimeout can take waits instead of running at once", async () => {
  let ran = false;
  const cancel = systemClock.setTimer(2 ** 40, () => {
    ran = true;
  });
  await systemClock.sleep(5);
  expect(ran).toBe(false);
  cancel();
});
