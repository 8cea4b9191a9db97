// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { minRefreshMs, refreshIntervalMs } from "./refresh-interval.ts";

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
