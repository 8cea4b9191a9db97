// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { sampleCases } from "./testing/all-samples.ts";
import { misshapen } from "./testing/arbitrary-objects.ts";
import { faultsOf, sealedRowOf } from "./testing/sample-rows.ts";

test.each(sampleCases)(
  "[KI3] [KI1] a %s of any shape becomes a row of its kind's columns, twice the same, and stays as it was",
  (_, { kind, object: sample }) => {
    fc.assert(
      fc.property(misshapen(sample), (object) => {
        const before = JSON.stringify(object);
        const row = sealedRowOf(kind, object);
        expect([row.namespace, row.name]).toEqual(["shop", "web"]);
        expect(faultsOf(kind, row)).toEqual([]);
        expect(sealedRowOf(kind, structuredClone(object)).rowHash).toBe(row.rowHash);
        expect(JSON.stringify(object)).toBe(before);
      }),
      { numRuns: 20 },
    );
  },
);
