// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { TokenBucket } from "./token-bucket.ts";

test("a burst, then one for each step of the rate; a pause fills it no further than the burst", () => {
  const bucket = new TokenBucket({ burstCount: 3, perSecond: 2 });
  const takeAll = (nowMs: number): number => {
    let count = 0;
    while (bucket.take(nowMs)) count += 1;
    return count;
  };
  expect(takeAll(1_000)).toBe(3);
  expect(takeAll(1_499)).toBe(0);
  expect(takeAll(1_500)).toBe(1);
  expect(takeAll(2_500)).toBe(2);
  expect(takeAll(100_000)).toBe(3);
});

test("in any span no more are taken than the burst and what the rate adds", () => {
  // Steps of an eighth of a second and rates that are powers of two make the sums exact.
  const steps = fc.array(
    fc.nat(16).map((step) => step * 125),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.constantFrom(1, 2, 4, 8), steps, (burstCount, perSecond, waits) => {
      const bucket = new TokenBucket({ burstCount, perSecond });
      const takenAtMs: number[] = [];
      let nowMs = 0;
      for (const waitMs of waits) {
        nowMs += waitMs;
        if (bucket.take(nowMs)) takenAtMs.push(nowMs);
      }
      for (const [first, fromMs] of takenAtMs.entries())
        for (const [count, toMs] of takenAtMs.slice(first).entries())
          expect(count + 1).toBeLessThanOrEqual(burstCount + ((toMs - fromMs) * perSecond) / 1_000);
    }),
  );
});
