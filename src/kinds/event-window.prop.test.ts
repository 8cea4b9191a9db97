// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type EventChanges, EventWindow } from "./event-window.ts";

const maxRowCount = 4;
const keptForMs = 10;

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("apply" as const),
      name: fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h"),
      object: fc.constantFrom("u", "v", "w", "x", "y", "z"),
      type: fc.constantFrom("Warning", "Warning", "Warning", "Normal"),
      minute: fc.nat({ max: 9 }),
      resourceVersion: fc.constantFrom("1", "2", "3"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("remove" as const), name: fc.constantFrom("a", "b", "c") }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("expire" as const) }) },
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function take(window: EventWindow, each: Step, nowMs: number): EventChanges {
  if (each.kind === "expire") return window.expire(nowMs);
  if (each.kind === "remove") return window.remove({ namespace: "shop", name: each.name });
  const { name, object, type, minute, resourceVersion } = each;
  const metadata = { name, namespace: "shop", uid: name, resourceVersion };
  return window.apply(
    { metadata, type, involvedObject: { name: object }, lastTimestamp: `2026-01-05T10:0${minute}:00Z` },
    nowMs,
  );
}

test("[KI15] the changes it tells, applied in order, always make its rows, never more than its bound", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(step, fc.nat({ max: 3 })), { maxLength: 60 }), (steps) => {
      const window = new EventWindow({ maxRowCount, keptForMs });
      const rows = new Map<string, unknown>();
      let nowMs = 0;
      for (const [each, laterMs] of steps) {
        nowMs += laterMs;
        const { deletes, upserts } = take(window, each, nowMs);
        for (const { name } of deletes) expect(rows.delete(name)).toBe(true);
        for (const row of upserts) rows.set(row.name, row);
        expect([...rows.keys()].sort()).toEqual(
          window
            .rows()
            .map(({ name }) => name)
            .sort(),
        );
        for (const row of window.rows()) expect(rows.get(row.name)).toBe(row);
        expect(rows.size).toBeLessThanOrEqual(maxRowCount);
      }
      for (const { name } of window.expire(nowMs + keptForMs).deletes) rows.delete(name);
      expect(rows.size).toBe(0);
    }),
    { numRuns: 300 },
  );
});
