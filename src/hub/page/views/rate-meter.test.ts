// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { RateMeter } from "./rate-meter.ts";

const kind = (resource: string, changeCount: number, bytes = 0) => ({ resource, changeCount, bytes });

test("a rate is taken over the last ten seconds, and over its age where the meter is younger", () => {
  const meter = new RateMeter(0);
  meter.add([kind("pods", 5, 500)], 500);
  expect(meter.list(500)).toEqual([{ resource: "pods", changesPerSecond: 5, bytesPerSecond: 500 }]);
  expect(meter.list(5_000)).toEqual([{ resource: "pods", changesPerSecond: 1, bytesPerSecond: 100 }]);
  meter.add([kind("pods", 15)], 9_000);
  expect(meter.list(10_000)[0]?.changesPerSecond).toBe(2);
  expect(meter.list(10_600)[0]?.changesPerSecond).toBe(1.5);
  expect(meter.list(19_000)).toEqual([]);
});

test("kinds come in order of their names, and names of the language's own are names", () => {
  const meter = new RateMeter(0);
  meter.add([kind("pods", 1), kind("__proto__", 1), kind("apps/deployments", 1)], 0);
  expect(meter.list(1_000).map(({ resource }) => resource)).toEqual(["__proto__", "apps/deployments", "pods"]);
});

test("many flushes count each", () => {
  const meter = new RateMeter(0);
  for (let atMs = 0; atMs < 100_000; atMs += 10) meter.add([kind("pods", 1, 3)], atMs);
  const [rate] = meter.list(100_000);
  expect(rate?.changesPerSecond).toBeGreaterThan(89);
  expect(rate?.changesPerSecond).toBeLessThanOrEqual(100);
});
