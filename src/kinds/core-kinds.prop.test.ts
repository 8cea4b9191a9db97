// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { misshapen } from "./testing/arbitrary-objects.ts";
import { createSamples } from "./testing/sample-objects.ts";
import { sealSample, strangeColumns } from "./testing/sealer.ts";

const samples = Array.from(createSamples("marker"), ([kind, object]) => [kind.kind, kind, object] as const);

describe("objects of any shape", () => {
  test.each(samples)(
    "[KI3] [KI1] a %s becomes a row of its kind's columns, twice the same, and stays as it was",
    (_, kind, sample) => {
      fc.assert(
        fc.property(misshapen(sample), (object) => {
          const before = JSON.stringify(object);
          const row = sealSample(kind, object);
          expect([row.namespace, row.name]).toEqual(["shop", "web"]);
          expect(strangeColumns(kind, row)).toEqual([]);
          expect(sealSample(kind, structuredClone(object)).rowHash).toBe(row.rowHash);
          expect(JSON.stringify(object)).toBe(before);
        }),
        { numRuns: 20 },
      );
    },
  );
});
