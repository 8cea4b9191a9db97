// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { FirstSyncs } from "./first-syncs.ts";

test("[SE22] at most K have their turn, in order of arrival, and everybody knows its place", () => {
  const steps = fc.array(fc.tuple(fc.boolean(), fc.nat({ max: 9 })), { maxLength: 80 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), steps, (count, all) => {
      const line = new FirstSyncs<number>(count);
      /**
       * In order of arrival; the first `count` have their turn. A turn is never taken back, so those who have it stay
       * in front.
       */
      let model: number[] = [];
      const told = new Map<number, number>();
      for (const [enters, session] of all) {
        if (enters && !model.includes(session)) {
          model.push(session);
          told.set(session, line.enter(session));
        } else if (!enters) {
          model = model.filter((other) => other !== session);
          told.delete(session);
          for (const { session: moved, position } of line.leave(session)) told.set(moved, position);
        }
        const expected = model.map((other, at) => [other, Math.max(0, at + 1 - count)] as const);
        expect(told).toEqual(new Map(expected));
        expect(line.counts).toEqual({
          active: Math.min(count, model.length),
          waiting: Math.max(0, model.length - count),
        });
      }
    }),
  );
});
