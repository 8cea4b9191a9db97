// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createSeededRandom } from "../../base/random.ts";
import { Admission, holdMs } from "./admission.ts";

test("[SE32] never more sessions come in than a burst and the rate allow, whenever they ask", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.array(fc.nat({ max: 400 }), { maxLength: 200 }), (rate, gaps) => {
      const admission = new Admission(rate);
      const comeInMs: number[] = [];
      let nowMs = 0;
      for (const gap of gaps) {
        nowMs += gap;
        const turn = admission.take(nowMs);
        if (turn.kind === "wait") comeInMs.push(nowMs + turn.waitMs);
        if (turn.kind === "wait") expect(turn.waitMs).toBeLessThanOrEqual(holdMs);
        else expect(turn.retryAfterMs).toBeGreaterThan(0);
      }
      for (const [at, ms] of comeInMs.entries())
        for (const [later, laterMs] of comeInMs.entries())
          if (later >= at) expect(later - at + 1).toBeLessThanOrEqual(rate + ((laterMs - ms) * rate) / 1_000 + 1e-6);
    }),
  );
});

interface Return {
  /** When each came in, in order. */
  readonly comeInMs: readonly number[];
  readonly attemptCount: number;
}

/** Agents that all come in the same moment, and again when they are told, late by up to a fifth (SE12). */
function returnAll(agentCount: number, rate: number, seed: number): Return {
  const random = createSeededRandom(seed);
  const admission = new Admission(rate);
  const due = Array.from({ length: agentCount }, () => 0);
  const comeInMs: number[] = [];
  let attemptCount = 0;
  while (due.length > 0) {
    due.sort((a, b) => b - a);
    const nowMs = due.pop() ?? 0;
    attemptCount += 1;
    const turn = admission.take(nowMs);
    if (turn.kind === "wait") comeInMs.push(nowMs + turn.waitMs);
    else due.push(nowMs + turn.retryAfterMs * (1 + 0.2 * random.next()));
  }
  return { comeInMs: comeInMs.sort((a, b) => a - b), attemptCount };
}

test.each([100, 400, 1_000, 1_500])(
  "[SE32] [L12] %i agents that come at once are let in at the full rate until the last, with at most one more attempt each",
  (agentCount) => {
    for (const seed of [1, 2, 3]) {
      const { comeInMs, attemptCount } = returnAll(agentCount, 50, seed);
      expect(comeInMs.at(-1)).toBeLessThanOrEqual(((agentCount - 50) * 1_000) / 50 + 1e-6);
      expect(attemptCount).toBeLessThanOrEqual(2 * agentCount);
    }
  },
);

test("[SE32] 2,500 agents lose less than a tenth of the rate", () => {
  expect(returnAll(2_500, 50, 4).comeInMs.at(-1)).toBeLessThan(55_000);
});

test("[SE32] times told grow one step for each that is turned away", () => {
  const admission = new Admission(1);
  const turns = Array.from({ length: 10 }, () => admission.take(0));
  expect(turns.slice(0, 7)).toEqual(
    [0, 1_000, 2_000, 3_000, 4_000, 5_000, 6_000].map((waitMs) => ({ kind: "wait", waitMs })),
  );
  const told = turns.slice(7).map((turn) => (turn.kind === "later" ? turn.retryAfterMs : 0));
  expect(told).toEqual([Math.ceil(4_000 / 1.1), Math.ceil(5_000 / 1.1), Math.ceil(6_000 / 1.1)]);
});
