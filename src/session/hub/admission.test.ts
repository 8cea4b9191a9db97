// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Admission } from "./admission.ts";

test("[SE32] never more sessions come in than a burst and the rate allow, whenever they ask", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.array(fc.nat({ max: 400 }), { maxLength: 200 }), (rate, gaps) => {
      const admission = new Admission(rate, 0);
      let nowMs = 0;
      let count = 0;
      for (const gap of gaps) {
        nowMs += gap;
        if (admission.admit(nowMs) === 0) count += 1;
        expect(count).toBeLessThanOrEqual(rate + (nowMs * rate) / 1_000 + 1e-6);
      }
    }),
  );
});

test("[SE32] [L12] 1,000 agents that come at once and keep to the times they are told are in within their time at the rate", () => {
  const admission = new Admission(50, 0);
  const due = Array.from({ length: 1_000 }, () => 0);
  let lastMs = 0;
  let attemptCount = 0;
  while (due.length > 0) {
    due.sort((a, b) => a - b);
    const nowMs = due.shift() ?? 0;
    attemptCount += 1;
    const waitMs = admission.admit(nowMs);
    if (waitMs > 0) due.push(nowMs + waitMs);
    else lastMs = nowMs;
  }
  expect(lastMs).toBeLessThan(25_000);
  expect(attemptCount).toBeLessThan(3_000);
});

test("[SE32] times told grow one step for each that is turned away", () => {
  const admission = new Admission(1, 0);
  expect([admission.admit(0), admission.admit(0), admission.admit(0), admission.admit(0)]).toEqual([
    0, 1_000, 2_000, 3_000,
  ]);
});
