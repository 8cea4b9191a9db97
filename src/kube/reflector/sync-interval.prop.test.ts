// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { firstPace, nextPace } from "./sync-interval.ts";

const bounds = fc
  .tuple(fc.integer({ min: 1, max: 10_000 }), fc.nat(100_000), fc.nat(1_000_000))
  .map(([minMs, more, stillMore]) => ({ minMs, baseMs: minMs + more, maxMs: minMs + more + stillMore }));

test("[N-50][N-51] the interval stays within its bounds, falls to the least under changes, and reaches base then most when they stop", () => {
  fc.assert(
    fc.property(bounds, fc.array(fc.boolean(), { maxLength: 60 }), (limits, turns) => {
      let pace = firstPace(limits);
      const step = (hasChanged: boolean): number => {
        const before = pace.intervalMs;
        pace = nextPace(pace, hasChanged, limits);
        expect(pace.intervalMs).toBeGreaterThanOrEqual(limits.minMs);
        expect(pace.intervalMs).toBeLessThanOrEqual(limits.maxMs);
        if (hasChanged) expect(pace.intervalMs).toBeLessThanOrEqual(before);
        else expect(pace.intervalMs).toBeGreaterThanOrEqual(before);
        return pace.intervalMs;
      };
      for (const hasChanged of turns) step(hasChanged);
      for (let turn = 0; turn < 20; turn += 1) step(true);
      expect(pace.intervalMs).toBe(limits.minMs);
      const quiet = Array.from({ length: 100 }, () => step(false));
      expect(quiet).toContain(limits.baseMs);
      expect(quiet.at(-1)).toBe(limits.maxMs);
    }),
  );
});
