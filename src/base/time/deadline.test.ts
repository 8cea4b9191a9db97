// SPDX-License-Identifier: Apache-2.0
import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { isCancellation } from "../abort.ts";
import { FlotillaError, hasCode } from "../error.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { openDeadline, withDeadline } from "./deadline.ts";

const what = "the answer of the hub";
const never = (): Promise<never> => new Promise(() => undefined);

describe("openDeadline", () => {
  test("aborts with DEADLINE_EXCEEDED when the limit is reached, not before", async () => {
    const clock = new ManualClock();
    using deadline = openDeadline({ clock, limitMs: 10, what });
    await clock.advance(9);
    expect(deadline.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(hasCode(deadline.signal.reason, "DEADLINE_EXCEEDED")).toBe(true);
    expect(String(deadline.signal.reason)).toContain("the answer of the hub did not come within 10 ms");
  });

  test("aborts with the very reason of its parent, and lets go of timer and listener", () => {
    const clock = new ManualClock();
    const parent = new AbortController();
    const deadline = openDeadline({ clock, limitMs: 10, what, signal: parent.signal });
    const closing = new Error("closing");
    parent.abort(closing);
    expect(deadline.signal.reason).toBe(closing);
    expect(clock.timerCount).toBe(0);
  });

  test("disposed in time it leaves neither timer nor listener, however long its parent lives", () => {
    const clock = new ManualClock();
    const parent = new AbortController();
    for (let opened = 0; opened < 100; opened += 1) {
      using deadline = openDeadline({ clock, limitMs: 10, what, signal: parent.signal });
      expect(deadline.signal.aborted).toBe(false);
    }
    expect(clock.timerCount).toBe(0);
    expect(getEventListeners(parent.signal, "abort")).toHaveLength(0);
  });

  test("on an aborted parent it starts aborted and without a timer", () => {
    const clock = new ManualClock();
    const deadline = openDeadline({ clock, limitMs: 10, what, signal: AbortSignal.abort(new Error("closing")) });
    expect(deadline.signal.aborted).toBe(true);
    expect(clock.timerCount).toBe(0);
  });
});

describe("withDeadline", () => {
  test("passes on a result or an error that comes in time, and leaves no timer", async () => {
    const clock = new ManualClock();
    await expect(withDeadline(async () => 7, { clock, limitMs: 10, what })).resolves.toBe(7);
    const failing = withDeadline(() => Promise.reject(new FlotillaError("NOT_FOUND", "no such cluster")), {
      clock,
      limitMs: 10,
      what,
    });
    await expect(failing).rejects.toThrow("no such cluster");
    expect(clock.timerCount).toBe(0);
  });

  test("[N-43] ends at the limit even if the work ignores its signal", async () => {
    const clock = new ManualClock();
    const late = withDeadline(never, { clock, limitMs: 10_000, what });
    await Promise.all([
      expect(late).rejects.toThrow(expect.toSatisfy((error) => hasCode(error, "DEADLINE_EXCEEDED"))),
      clock.advance(10_000),
    ]);
  });

  test("says DEADLINE_EXCEEDED, not how the work put the abort", async () => {
    const clock = new ManualClock();
    const late = withDeadline(
      (signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new Error("socket hang up")));
        }),
      { clock, limitMs: 5, what },
    );
    await Promise.all([expect(late).rejects.toThrow("did not come within 5 ms"), clock.advance(5)]);
  });

  test("rejects with the parent's reason, which is cancellation and no deadline", async () => {
    const clock = new ManualClock();
    const parent = new AbortController();
    const cut = withDeadline(never, { clock, limitMs: 10, what, signal: parent.signal });
    parent.abort(new Error("closing"));
    const reason: unknown = await cut.catch((error: unknown) => error);
    expect(isCancellation(parent.signal, reason)).toBe(true);
    expect(clock.timerCount).toBe(0);
  });

  test("does not begin the work under an aborted parent", async () => {
    let isBegun = false;
    const cut = withDeadline(
      async () => {
        isBegun = true;
      },
      { clock: new ManualClock(), limitMs: 10, what, signal: AbortSignal.abort(new Error("closing")) },
    );
    await expect(cut).rejects.toThrow("closing");
    expect(isBegun).toBe(false);
  });
});
