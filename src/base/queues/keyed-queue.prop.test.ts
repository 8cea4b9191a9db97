// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createSeededRandom } from "../random.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { KeyedQueue } from "./keyed-queue.ts";
import type { Lane } from "./lanes.ts";

const steps = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant("add" as const),
        key: fc.constantFrom("a", "b", "c", "d", "e", "f"),
        lane: fc.constantFrom<Lane>("fresh", "backlog"),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("advance" as const), byMs: fc.nat(30) }) },
  ),
  { maxLength: 40 },
);

test("[L6] whatever fails and however adds come in, every add is followed by a successful reconcile that began after it", async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 1, max: 3 }), fc.integer(), async (script, workers, seed) => {
      const clock = new ManualClock();
      const random = createSeededRandom(seed);
      const stop = new AbortController();
      const queue = new KeyedQueue<string>({
        clock,
        random: random.fork("backoff"),
        workers,
        backoff: { firstMs: 5, factor: 2, capMs: 40 },
        freshPerBacklog: 2,
      });
      /** Counts adds and beginnings, so that "after" is exact even where the clock stands still. */
      let moment = 0;
      const addedAt = new Map<string, number>();
      const provenAt = new Map<string, number>();
      const atWork = new Set<string>();
      const violations: string[] = [];
      let mayFail = true;
      const running = queue.run(async (key, signal) => {
        moment += 1;
        const beganAt = moment;
        // Noted, not thrown: the queue would take what is thrown here for a failure of the key.
        if (atWork.has(key)) violations.push(`two workers at ${key}`);
        atWork.add(key);
        if (atWork.size > workers) violations.push(`${atWork.size} keys at work`);
        try {
          if (random.int(3) > 0) await clock.sleep(random.int(20), signal);
        } finally {
          atWork.delete(key);
        }
        if (mayFail && random.int(3) === 0) throw new Error("by chance");
        provenAt.set(key, beganAt);
        return mayFail && random.int(4) === 0 ? { retryAfterMs: random.int(30) } : {};
      }, stop.signal);
      for (const step of script) {
        if (step.kind === "advance") {
          await clock.advance(step.byMs);
        } else {
          moment += 1;
          addedAt.set(step.key, moment);
          queue.add(step.key, { lane: step.lane });
        }
        expect(queue.counts.running).toBe(atWork.size);
        expect(queue.length + queue.counts.running).toBeLessThanOrEqual(addedAt.size);
      }
      mayFail = false;
      await clock.advance(1_000);
      expect(violations).toEqual([]);
      expect([queue.length, queue.counts.running]).toEqual([0, 0]);
      for (const [key, at] of addedAt) expect(provenAt.get(key)).toBeGreaterThan(at);
      stop.abort();
      await running;
      expect(clock.timerCount).toBe(0);
    }),
    { numRuns: 60 },
  );
});
