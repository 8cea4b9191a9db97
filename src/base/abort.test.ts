// SPDX-License-Identifier: Apache-2.0
import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { abortReason, isCancellation, onAbort, orAborted, throwIfAborted, untilAborted } from "./abort.ts";
import { FlotillaError } from "./error.ts";

describe("onAbort", () => {
  test("runs its callback once, at the abort", () => {
    const stop = new AbortController();
    let runCount = 0;
    onAbort(stop.signal, () => {
      runCount += 1;
    });
    expect(runCount).toBe(0);
    stop.abort();
    stop.abort();
    expect(runCount).toBe(1);
  });

  test("runs its callback at once on a signal that was aborted before", () => {
    let runCount = 0;
    onAbort(AbortSignal.abort(), () => {
      runCount += 1;
    });
    expect(runCount).toBe(1);
  });

  test("once disposed it runs nothing and leaves no listener", () => {
    const stop = new AbortController();
    let runCount = 0;
    const dispose = onAbort(stop.signal, () => {
      runCount += 1;
    });
    dispose();
    expect(getEventListeners(stop.signal, "abort")).toHaveLength(0);
    stop.abort();
    expect(runCount).toBe(0);
  });
});

describe("cancellation is not an error", () => {
  const closing = new Error("closing");

  test("what carries the reason of the abort is cancellation, as itself or as a cause", () => {
    const signal = AbortSignal.abort(closing);
    expect(isCancellation(signal, closing)).toBe(true);
    expect(
      isCancellation(signal, new FlotillaError("UNAVAILABLE", "cut", { cause: new Error("read", { cause: closing }) })),
    ).toBe(true);
  });

  test("a failure that happened after the abort is still a failure", () => {
    expect(isCancellation(AbortSignal.abort(closing), new Error("disk full"))).toBe(false);
  });

  test("before the abort nothing is cancellation", () => {
    expect(isCancellation(new AbortController().signal, closing)).toBe(false);
    expect(isCancellation(new AbortController().signal, undefined)).toBe(false);
  });

  test("a reason that is no Error becomes one that is recognised", () => {
    const signal = AbortSignal.abort("shutdown");
    expect(abortReason(signal).message).toBe("shutdown");
    expect(isCancellation(signal, abortReason(signal))).toBe(true);
    expect(() => throwIfAborted(signal)).toThrow("shutdown");
  });

  test("a chain of causes that bites its own tail has an end", () => {
    const error = new Error("round");
    error.cause = error;
    expect(isCancellation(AbortSignal.abort(closing), error)).toBe(false);
  });
});

describe("orAborted", () => {
  test("gives the work's result and leaves no listener, or the signal's reason while the work goes on", async () => {
    const stop = new AbortController();
    expect(await orAborted(Promise.resolve(7), stop.signal)).toBe(7);
    expect(getEventListeners(stop.signal, "abort")).toHaveLength(0);
    const waiting = orAborted(Promise.withResolvers<void>().promise, stop.signal);
    stop.abort(new Error("closing"));
    await expect(waiting).rejects.toThrow("closing");
    await expect(orAborted(Promise.resolve(7), stop.signal)).rejects.toThrow("closing");
    await expect(untilAborted(stop.signal)).rejects.toThrow("closing");
  });
});
