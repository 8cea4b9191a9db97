// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { connectionStates } from "../../health/health-state.ts";
import { cellCount, cellMs, cellOf, Strip, stripCodeOf } from "./strip.ts";

const startMs = 500 * cellCount * cellMs;

test("each cell is the worst of the states held in it, however the changes lie", () => {
  const steps = fc.array(fc.record({ afterMs: fc.nat(2 * cellMs), to: fc.constantFrom(...connectionStates) }), {
    maxLength: 30,
  });
  fc.assert(
    fc.property(steps, fc.nat(3 * cellMs), (changes, restMs) => {
      const strip = new Strip("neverSeen", startMs);
      const held: { fromMs: number; untilMs: number; state: string }[] = [];
      let [atMs, state] = [startMs, "neverSeen"];
      for (const { afterMs, to } of changes) {
        held.push({ fromMs: atMs, untilMs: atMs + afterMs, state });
        atMs += afterMs;
        strip.note({ atMs, from: state, to });
        state = to;
      }
      const nowMs = atMs + restMs;
      held.push({ fromMs: atMs, untilMs: nowMs, state });
      const firstCell = cellOf(nowMs) - cellCount + 1;
      const expected = Array.from({ length: cellCount }, (_, index) => {
        const cell = firstCell + index;
        const inCell = held.filter(({ fromMs, untilMs }) => cellOf(fromMs) <= cell && cell <= cellOf(untilMs));
        return Math.max(0, ...inCell.map((each) => stripCodeOf(each.state)));
      });
      expect([...strip.toBytes(nowMs)]).toEqual(expected);
    }),
  );
});
