// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createGenericKind } from "./generic-kind.ts";
import { misshapen } from "./testing/arbitrary-objects.ts";
import { secretMarker } from "./testing/kind-sample.ts";
import { faultsOf, rowOf, rowText, sealedRowOf } from "./testing/sample-rows.ts";

const widgets = createGenericKind(
  { group: "example.com", resource: "widgets" },
  { kind: "Widget", versions: ["v1"], isNamespaced: true },
);

/** A path below spec, status or the root at which a secret stands. */
const part = fc.constantFrom("spec", "status", "data", "stringData", "template", "");
const path = fc.tuple(part, fc.array(fc.string({ minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 4 }));

function widgetWith(first: string, keys: readonly string[]): Record<string, unknown> {
  const held = keys.reduceRight<unknown>((below, key) => ({ [key]: below }), secretMarker);
  const annotations = { "kubectl.kubernetes.io/last-applied-configuration": secretMarker };
  return {
    ...(first === "" ? (held as object) : { [first]: held }),
    metadata: { name: "web", namespace: "shop", annotations, managedFields: [{ manager: secretMarker }] },
  };
}

test("[L18] [KI14] of a kind that no file names nothing travels but metadata and conditions", () => {
  fc.assert(
    fc.property(path, ([first, keys]) => {
      fc.pre(!(first === "status" && keys[0] === "conditions") && keys[0] !== "metadata");
      expect(rowText(rowOf(widgets, widgetWith(first, keys)))).not.toContain(secretMarker);
    }),
    { numRuns: 200 },
  );
});

test("[L18] [KI14] of a condition type, status and reason travel, and no other field", () => {
  const condition = { type: "Ready", status: "True", reason: "Issued", observedGeneration: 3, token: secretMarker };
  const { columns, status, reason } = rowOf(widgets, {
    metadata: { name: "web", namespace: "shop" },
    status: { conditions: [condition] },
  });
  expect([...columns]).toEqual([["conditions", ['{"type":"Ready","status":"True","reason":"Issued"}']]]);
  expect([status, reason]).toEqual(["healthy", "Issued"]);
});

test("[KI3] an object of any shape becomes a row, twice the same", () => {
  const sample = {
    metadata: { name: "web", namespace: "shop", generation: 2 },
    spec: { size: 3 },
    status: { observedGeneration: 2, conditions: [{ type: "Ready", status: "True" }] },
  };
  fc.assert(
    fc.property(misshapen(sample), (object) => {
      const row = sealedRowOf(widgets, object);
      expect(faultsOf(widgets, row)).toEqual([]);
      expect(sealedRowOf(widgets, structuredClone(object)).rowHash).toBe(row.rowHash);
    }),
    { numRuns: 100 },
  );
});
