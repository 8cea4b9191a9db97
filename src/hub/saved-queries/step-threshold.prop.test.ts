// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { stepThreshold, type ThresholdState } from "./step-threshold.ts";

const threshold = { above: 10, clearAt: 5, forMs: 30 };
const anyInput = fc.record({ total: fc.integer({ min: 0, max: 20 }), isComplete: fc.boolean(), afterMs: fc.nat(20) });

test("[SQ12] reports alternate, and each is justified by every evaluation of the time before it", () => {
  fc.assert(
    fc.property(fc.array(anyInput, { maxLength: 60 }), (inputs) => {
      let state: ThresholdState = { isFiring: false, sinceMs: undefined };
      let nowMs = 0;
      const past: { readonly total: number; readonly isComplete: boolean; readonly nowMs: number }[] = [];
      for (const { total, isComplete, afterMs } of inputs) {
        nowMs += afterMs;
        past.push({ total, isComplete, nowMs });
        const before = state;
        const step = stepThreshold(state, { total, isComplete, nowMs }, threshold);
        state = step.state;
        expect(step.report).toBe(
          state.isFiring === before.isFiring ? undefined : state.isFiring ? "firing" : "resolved",
        );
        const asks = (each: (typeof past)[number]): boolean =>
          before.isFiring ? each.isComplete && each.total <= 5 : each.total > 10;
        // The oracle: the unbroken run of such evaluations at the end, since the last report.
        const run = past.slice(past.findLastIndex((each) => !asks(each)) + 1);
        const heldMs = nowMs - (run[0]?.nowMs ?? nowMs);
        expect(step.report !== undefined).toBe(run.length > 0 && heldMs >= 30);
        if (step.report !== undefined) past.length = 0;
      }
    }),
    { numRuns: 200 },
  );
});

test("[SQ12] without a time it fires and resolves at once, and with one it names the moment", () => {
  const at = (isFiring: boolean, total: number, forMs: number) =>
    stepThreshold({ isFiring, sinceMs: undefined }, { total, isComplete: true, nowMs: 7 }, { ...threshold, forMs });
  expect([at(false, 11, 0).report, at(true, 5, 0).report, at(true, 6, 0).report]).toEqual([
    "firing",
    "resolved",
    undefined,
  ]);
  expect([at(false, 11, 30).dueMs, at(false, 10, 30).dueMs]).toEqual([37, undefined]);
});
