// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { expectedCostMs, minRefreshMs, refreshIntervalMs } from "./refresh-interval.ts";

test("[QL18] views of any costs together use at most half of the thread, and none is refreshed too often", () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1_000, noNaN: true }), { maxLength: 50 }), (costs) => {
      const rootSum = costs.reduce((sum, cost) => sum + Math.sqrt(cost), 0);
      const intervals = costs.map((cost) => refreshIntervalMs(cost, rootSum));
      const used = costs.reduce((sum, cost, at) => sum + cost / (intervals[at] ?? 0), 0);
      expect(used).toBeLessThanOrEqual(0.5 + 1e-9);
      for (const interval of intervals) expect(interval).toBeGreaterThanOrEqual(minRefreshMs);
    }),
  );
});

test("[QL18] 500 views that were late are refreshed as often as they can be after some seconds", () => {
  // A refresh costs something by itself, and something for the changes of the interval before it.
  const costAfter = (intervalMs: number): number => 0.1 + 0.0006 * intervalMs;
  let [costMs, passedMs] = [costAfter(8_000), 0];
  const intervalMs = (): number => refreshIntervalMs(costMs, 500 * Math.sqrt(costMs));
  while (intervalMs() > 300) {
    passedMs += intervalMs();
    costMs = expectedCostMs(costMs, costAfter(intervalMs()));
    expect(passedMs).toBeLessThan(20_000);
  }
});
