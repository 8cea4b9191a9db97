// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { damagedObjects, faultsOf, type KindSample, rootNamespaces, rowOf, sealed } from "./testing/kind-rules.ts";
import { istioKindSamples } from "./testing/samples.ts";

const cases = istioKindSamples.map((each): [string, KindSample] => [each.kind.kind, each]);

test.each(cases)("[KI3] a %s of any shape has a row of its declared columns", (_name, { kind, object }) => {
  fc.assert(
    fc.property(damagedObjects(object), (damaged) => {
      const row = rowOf(kind, damaged, rootNamespaces("shop"));
      expect(faultsOf(kind, row)).toEqual([]);
      expect(sealed(kind, row).name).toBe(object.metadata["name"]);
    }),
    { numRuns: 100 },
  );
});
