// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { type FlushPace, firstPace, nextFlushMs, paceAfterFlush } from "./flush-pace.ts";

const options = { minFlushIntervalMs: 100, maxFlushIntervalMs: 2_000 };

/** Flushes as often as the pace lets it, for that long, while changes come at a steady rate. */
function flushFor(from: FlushPace, nowMs: number, forMs: number, changesPerSecond: number): FlushPace {
  let pace = from;
  for (;;) {
    const atMs = Math.max(nowMs, nextFlushMs(pace, false, options));
    if (atMs > nowMs + forMs) return pace;
    const changeCount = pace.changeCount + ((atMs - pace.flushedAtMs) / 1_000) * changesPerSecond;
    pace = paceAfterFlush(pace, changeCount, atMs, options);
  }
}

test("[N-50] [SE18] at 50 changes a second flushes come at the minimum interval", () => {
  const pace = flushFor(firstPace(options, 0), 0, 20_000, 50);
  expect(pace.intervalMs).toBe(100);
  expect(nextFlushMs(pace, false, options)).toBe(pace.flushedAtMs + 100);
});

test("[SE18] above that the interval grows to the maximum and no further; a minute of quiet brings it back", () => {
  const busy = flushFor(firstPace(options, 0), 0, 20_000, 51);
  expect(busy.intervalMs).toBe(2_000);
  const sinceMs = busy.flushedAtMs;
  expect(flushFor(busy, sinceMs, 59_000, 10).intervalMs).toBe(2_000);
  expect(flushFor(busy, sinceMs, 63_000, 10).intervalMs).toBe(100);
});

test("[N-51] nothing comes closer than the minimum, not even what a full flush left over", () => {
  const busy = flushFor(firstPace(options, 0), 0, 20_000, 500);
  expect(nextFlushMs(busy, true, options)).toBe(busy.flushedAtMs + 100);
  expect(nextFlushMs(busy, false, options)).toBe(busy.flushedAtMs + 2_000);
});

test("[SE18] the first change after a rest goes at once", () => {
  expect(nextFlushMs(firstPace(options, 5_000), false, options)).toBe(5_000);
});
