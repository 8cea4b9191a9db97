// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ReviewBudget } from "./review-budget.ts";

test("[SE64] in any window no more are allowed than the limit, and none is refused below it", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.array(fc.nat(40), { maxLength: 60 }), (maxCount, steps) => {
      const budget = new ReviewBudget(maxCount, 100);
      const taken: number[] = [];
      let nowMs = 0;
      for (const step of steps) {
        nowMs += step;
        const at = nowMs;
        const isFree = taken.filter((usedMs) => at - usedMs < 100).length < maxCount;
        expect(budget.take(nowMs)).toBe(isFree);
        if (isFree) taken.push(nowMs);
      }
    }),
  );
});
