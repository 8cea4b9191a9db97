// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hasCode } from "../error.ts";
import { createSeededRandom, type Random } from "../random.ts";
import { assertBackoff, Backoff, backoffCeilingMs, backoffDelayMs } from "./backoff.ts";

/** Chance that always falls on the same side, so that a delay shows its ceiling. */
function constantRandom(value: number): Random {
  return { ...createSeededRandom(1), next: () => value };
}

const options = { firstMs: 100, factor: 2, capMs: 1_000, stableMs: 5_000 };
const high = constantRandom(1 - 2 ** -53);

describe("[L12] backoff", () => {
  test("ceilings grow by the factor up to the cap and stay there", () => {
    const backoff = new Backoff(options);
    const delays = Array.from({ length: 6 }, () => Math.round(backoff.next(high)));
    expect(delays).toEqual([100, 200, 400, 800, 1_000, 1_000]);
    expect(backoff.failureCount).toBe(6);
  });

  test("jitter is full: the delay may be anything from 0 to the ceiling", () => {
    expect(backoffDelayMs(options, 3, constantRandom(0))).toBe(0);
    const random = createSeededRandom("jitter");
    const delays = Array.from({ length: 2_000 }, () => backoffDelayMs(options, 3, random));
    const meanMs = delays.reduce((sum, delayMs) => sum + delayMs, 0) / delays.length;
    expect(Math.abs(meanMs - 400)).toBeLessThan(25);
  });

  test("a connection that was lost before it was stable resets nothing", () => {
    const backoff = new Backoff(options);
    for (let failed = 0; failed < 3; failed += 1) backoff.next(high);
    backoff.succeededFor(4_999);
    expect(backoff.ceilingMs).toBe(800);
  });

  test("a connection that was stable starts over with the first delay", () => {
    const backoff = new Backoff(options);
    for (let failed = 0; failed < 3; failed += 1) backoff.next(high);
    backoff.succeededFor(5_000);
    expect(backoff.ceilingMs).toBe(100);
    expect(backoff.failureCount).toBe(0);
  });

  test("any number of failures keeps every delay under its ceiling and every ceiling under the cap", () => {
    fc.assert(
      fc.property(
        fc.record({
          firstMs: fc.integer({ min: 1, max: 10_000 }),
          factor: fc.double({ min: 1, max: 10, noNaN: true }),
          extraMs: fc.nat(1_000_000),
        }),
        fc.nat(1_000_000),
        fc.integer(),
        ({ firstMs, factor, extraMs }, failureCount, seed) => {
          const curve = { firstMs, factor, capMs: firstMs + extraMs };
          const ceilingMs = backoffCeilingMs(curve, failureCount);
          expect(ceilingMs).toBeGreaterThanOrEqual(firstMs);
          expect(ceilingMs).toBeLessThanOrEqual(curve.capMs);
          expect(backoffCeilingMs(curve, failureCount + 1)).toBeGreaterThanOrEqual(ceilingMs);
          const delayMs = backoffDelayMs(curve, failureCount, createSeededRandom(seed));
          expect(delayMs >= 0 && delayMs < ceilingMs).toBe(true);
        },
      ),
    );
  });
});

test("[N-54] settings that cannot work are refused with all mistakes in one sentence", () => {
  const refuse = (): void => assertBackoff({ firstMs: 0, factor: 0.5, capMs: Number.NaN, stableMs: -1 });
  expect(refuse).toThrow(
    "backoff cannot work: firstMs must be over 0, not 0; factor must be 1 or more, not 0.5; " +
      "capMs must be a number, not NaN; stableMs must be 0 or more, not -1",
  );
  expect(refuse).toThrow(expect.toSatisfy((error: unknown) => hasCode(error, "INVALID_ARGUMENT")));
  expect(() => new Backoff({ ...options, capMs: 99 })).toThrow("capMs (99) must not be below firstMs (100)");
});
