// SPDX-License-Identifier: Apache-2.0
// What holds for the rows of every kind, on full samples that hold a secret wherever one can be.
import { describe, expect, test } from "vitest";
import { resourceIdText } from "../model/gvr.ts";
import { defaultKinds, derivedKinds } from "./all-kinds.ts";
import { secretKind } from "./secret-kind.ts";
import { allSamples, sampleCases } from "./testing/all-samples.ts";
import { secretMarker } from "./testing/kind-sample.ts";
import { faultsOf, rootNamespaces, rowOf, rowText, sealedRowOf } from "./testing/sample-rows.ts";

/** Maps that travel whole, so a key added there is no unknown field. */
const travellingMaps = new Set(["labels", "matchLabels", "nodeSelector", "selector"]);

/** The object with a field nobody knows in every object of it. */
function withUnknownFields(value: unknown, key = ""): unknown {
  if (Array.isArray(value)) return value.map((each) => withUnknownFields(each));
  if (typeof value !== "object" || value === null || travellingMaps.has(key)) return value;
  const entries = Object.entries(value).map(([each, below]): [string, unknown] => [
    each,
    withUnknownFields(below, each),
  ]);
  const unknown = { unknownField: secretMarker, unknownPart: { value: secretMarker, name: secretMarker } };
  return Object.fromEntries([...entries, ...Object.entries(unknown)]);
}

/** The same object to Kubernetes: the keys of every part in reverse. */
function withReversedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withReversedKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, below]): [string, unknown] => [key, withReversedKeys(below)]);
  return Object.fromEntries(entries.reverse());
}

describe.each(sampleCases)("the row of a full %s", (_, { kind, object }) => {
  test("[L18] [KI1] [KI2] [KI5] holds no environment, command, value, foreign annotation or unknown field", () => {
    expect(JSON.stringify(object)).toContain(secretMarker);
    expect(rowText(rowOf(kind, object))).not.toContain(secretMarker);
    expect(rowText(rowOf(kind, withUnknownFields(object)))).not.toContain(secretMarker);
  });

  test("[KI1] [KI7] has columns of its kind and no others, structured ones as JSON, and fits", () => {
    const row = rowOf(kind, object);
    expect(row.columns.size).toBeGreaterThan(0);
    expect(faultsOf(kind, row)).toEqual([]);
    expect(row.columns.has("cut")).toBe(false);
  });

  test("[KI7] is the same, hash included, when the object's keys come in another order", () => {
    expect(sealedRowOf(kind, withReversedKeys(object))).toEqual(sealedRowOf(kind, object));
  });

  test("[KI17] depends on facts of the cluster only where the kind says so", () => {
    const bare = { metadata: object.metadata };
    const isSame = rowText(rowOf(kind, bare, rootNamespaces("shop"))) === rowText(rowOf(kind, bare));
    expect(isSame).toBe(kind.usesFacts !== true);
  });
});

describe("the list of kinds", () => {
  test("holds every resource once, and every kind has a sample", () => {
    const resources = [...defaultKinds, ...derivedKinds].map(({ resource }) => resourceIdText(resource));
    expect(new Set(resources).size).toBe(resources.length);
    expect(new Set(allSamples.map(({ kind }) => kind))).toEqual(new Set([...defaultKinds, secretKind]));
  });

  test("[L18] leaves Secrets out", () => {
    expect(defaultKinds).not.toContain(secretKind);
    expect(defaultKinds.map(({ resource }) => resource.resource)).not.toContain("secrets");
  });

  test("[KI13] each kind names the API versions it reads, each once", () => {
    for (const { versions } of [...defaultKinds, secretKind]) {
      expect(versions[0]).toMatch(/^v\d+/);
      expect(new Set(versions).size).toBe(versions.length);
    }
  });

  test("[KI6] texts of a kind leave room for its lists", () => {
    for (const { columns } of defaultKinds)
      expect(columns.filter(({ type }) => type === "string").length * 1_024).toBeLessThanOrEqual(18_432);
  });
});
