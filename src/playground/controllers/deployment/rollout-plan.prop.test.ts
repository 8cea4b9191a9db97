// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { planProportional, planRollingUpdate, type RolloutSet } from "./rollout-plan.ts";

function setOf(name: string, replicas: number, availableCount: number): RolloutSet {
  return { object: { metadata: { name, uid: name } }, replicas, availableCount };
}

const limits = fc
  .record({ replicas: fc.nat(8), maxSurge: fc.nat(4), maxUnavailable: fc.nat(4) })
  .filter(({ maxSurge, maxUnavailable }) => maxSurge + maxUnavailable > 0)
  .map((each) => ({ ...each, maxUnavailable: Math.min(each.maxUnavailable, each.replicas) }))
  .filter(({ maxSurge, maxUnavailable, replicas }) => replicas === 0 || maxSurge + maxUnavailable > 0);

/** How many of the Pods that may become available, or be lost, do so before the next step. */
const fates = fc.array(fc.nat(9), { minLength: 60, maxLength: 60 });

test("a rolling update keeps to its limits at every step, whatever becomes ready when, and reaches its end", () => {
  fc.assert(
    fc.property(limits, fc.nat(6), fates, (limit, oldCount, fate) => {
      const sets = new Map([
        ["new", { replicas: 0, available: 0 }],
        ["old", { replicas: Math.min(limit.replicas, oldCount), available: Math.min(limit.replicas, oldCount) }],
        ["older", { replicas: 0, available: 0 }],
      ]);
      const older = limit.replicas - (sets.get("old")?.replicas ?? 0);
      sets.set("older", { replicas: older, available: older });
      const view = (name: string): RolloutSet => {
        const set = sets.get(name) ?? { replicas: 0, available: 0 };
        return setOf(name, set.replicas, set.available);
      };
      const sum = (part: "replicas" | "available"): number =>
        [...sets.values()].reduce((total, set) => total + set[part], 0);
      for (const chance of fate) {
        for (const { object, replicas } of planRollingUpdate(view("new"), [view("old"), view("older")], limit)) {
          const name = (object["metadata"] as { readonly name: string }).name;
          // Pods that are not available go first, as ReplicaSets choose them.
          sets.set(name, { replicas, available: Math.min(replicas, sets.get(name)?.available ?? 0) });
        }
        expect(sum("replicas")).toBeLessThanOrEqual(limit.replicas + limit.maxSurge);
        expect(sum("available")).toBeGreaterThanOrEqual(limit.replicas - limit.maxUnavailable);
        for (const [name, set] of sets)
          if (chance % 2 === 0)
            sets.set(name, { ...set, available: Math.min(set.replicas, set.available + 1 + (chance % 3)) });
      }
      for (const [name, set] of sets) sets.set(name, { ...set, available: set.replicas });
      const settle = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19];
      for (const _ of settle)
        for (const { object, replicas } of planRollingUpdate(view("new"), [view("old"), view("older")], limit))
          sets.set((object["metadata"] as { readonly name: string }).name, { replicas, available: replicas });
      expect(sets.get("new")?.replicas).toBe(limit.replicas);
      expect(sum("replicas")).toBe(limit.replicas);
    }),
    { numRuns: 60 },
  );
});

test("scaling in proportion gives out exactly the wanted number, and nobody less than nothing", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 4 }),
      fc.nat(40),
      (counts, wanted) => {
        const sets = counts.map((count, index) => setOf(String(index), count, count));
        const planned = new Map(sets.map((set) => [set.object, set.replicas]));
        for (const { object, replicas } of planProportional(sets, wanted)) planned.set(object, replicas);
        expect([...planned.values()].reduce((sum, each) => sum + each, 0)).toBe(wanted);
        expect(Math.min(...planned.values())).toBeGreaterThanOrEqual(0);
      },
    ),
  );
});
