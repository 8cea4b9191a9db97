// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/apiserver/json/json.ts";
import { humanDuration as printedByServer } from "../../../src/apiserver/table/age.ts";
import { podKind } from "../../../src/kinds/pod-kind.ts";
import { humanDuration } from "../../../src/kinds/table/human-duration.ts";
import { anyPod, anyPrintedObjects, printedAtMs } from "./any-printed-object.ts";
import { unexplainedCells } from "./compare-cells.ts";

/** The object as JSON has it, without fields that are not set. */
function toJson(object: object): JsonObject {
  return JSON.parse(JSON.stringify(object)) as JsonObject;
}

test("[KI30] a Pod in any state has the cells that the API server prints of it", () => {
  fc.assert(
    fc.property(anyPod, (pod) => {
      expect(unexplainedCells(podKind, toJson(pod), printedAtMs)).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test.each(anyPrintedObjects.map(([kind, object]) => ({ kind, object, name: kind.kind })))(
  "[KI30] a $name in any state has the cells that the API server prints of it",
  ({ kind, object }) => {
    fc.assert(
      fc.property(object, (one) => {
        expect(unexplainedCells(kind, toJson(one), printedAtMs)).toEqual([]);
      }),
      { numRuns: 100 },
    );
  },
);

test("[KI30] every duration is printed as the API server prints it", () => {
  const tenYearsMs = 10 * 365 * 86_400_000;
  const durations = fc.oneof(fc.integer({ min: -5_000, max: 700_000 }), fc.integer({ min: 0, max: tenYearsMs }));
  fc.assert(
    fc.property(durations, (durationMs) => {
      expect(humanDuration(durationMs)).toBe(printedByServer(durationMs));
    }),
    { numRuns: 300 },
  );
});
