// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Lane, Lanes } from "./lanes.ts";

function takeAll(lanes: Lanes<string>): string[] {
  const taken: string[] = [];
  for (let value = lanes.take(); value !== undefined; value = lanes.take()) taken.push(value);
  return taken;
}

test("[L6] fresh values overtake the backlog, which gets its turn after every so many", () => {
  const lanes = new Lanes<string>(2);
  for (const name of ["b1", "b2", "b3"]) lanes.push(name, "backlog");
  for (const name of ["f1", "f2", "f3", "f4", "f5"]) lanes.push(name, "fresh");
  expect(takeAll(lanes)).toEqual(["f1", "f2", "b1", "f3", "f4", "b2", "f5", "b3"]);
});

test("fresh values taken while no backlog waited give the backlog no turn in advance", () => {
  const lanes = new Lanes<string>(2);
  for (const name of ["f1", "f2", "f3", "f4", "f5", "f6"]) lanes.push(name, "fresh");
  expect([lanes.take(), lanes.take(), lanes.take()]).toEqual(["f1", "f2", "f3"]);
  lanes.push("b1", "backlog");
  expect(takeAll(lanes)).toEqual(["f4", "f5", "b1", "f6"]);
});

test("[L6] however fresh values and backlog come in, neither lane is passed over for longer than the rule says", () => {
  const lane = fc.constantFrom<Lane>("fresh", "backlog");
  const steps = fc.array(fc.oneof(lane, fc.constant("take" as const)), { maxLength: 200 });
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 4 }), (script, freshPerBacklog) => {
      const lanes = new Lanes<{ lane: Lane }>(freshPerBacklog);
      let freshInARow = 0;
      for (const step of script) {
        if (step !== "take") {
          lanes.push({ lane: step }, step);
          continue;
        }
        const { freshCount, backlogCount } = lanes;
        const taken = lanes.take();
        expect(taken === undefined).toBe(freshCount + backlogCount === 0);
        if (freshCount === 0 || backlogCount === 0) {
          freshInARow = 0;
          continue;
        }
        // Both waited: fresh ones go first until the rule gives the backlog its turn, and then it has just one.
        expect(taken?.lane).toBe(freshInARow < freshPerBacklog ? "fresh" : "backlog");
        freshInARow = taken?.lane === "fresh" ? freshInARow + 1 : 0;
      }
    }),
  );
});
