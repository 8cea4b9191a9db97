// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { resourceIdText } from "../model/gvr.ts";
import { coreKinds, rbacKinds } from "./core-kinds.ts";
import { secretKind } from "./secret.ts";
import { createSamples } from "./testing/sample-objects.ts";
import { projectSample, sealSample, strangeColumns } from "./testing/sealer.ts";

const marker = "do-not-send";
const samples = Array.from(createSamples(marker), ([kind, object]) => [kind.kind, kind, object] as const);

/** Maps that travel whole, so a key added there is no unknown field. */
const travellingMaps = new Set(["labels", "matchLabels", "selector"]);

/** The object with a field nobody knows in every object of it. */
function withUnknownFields(value: unknown, key = ""): unknown {
  if (Array.isArray(value)) return value.map((each) => withUnknownFields(each));
  if (typeof value !== "object" || value === null || travellingMaps.has(key)) return value;
  const entries = Object.entries(value).map(([each, below]): [string, unknown] => [
    each,
    withUnknownFields(below, each),
  ]);
  return Object.fromEntries([...entries, ["unknownField", marker], ["unknownPart", { value: marker, name: marker }]]);
}

/** The same object with the keys of every part in reverse. */
function withReversedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withReversedKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, below]): [string, unknown] => [key, withReversedKeys(below)]);
  return Object.fromEntries(entries.reverse());
}

function textOfRow(row: object): string {
  return JSON.stringify(row, (_, value: unknown) => (value instanceof Map ? [...value] : value));
}

describe("what travels of every kind", () => {
  test.each(samples)(
    "[L18] [KI1] [KI2] [KI5] of a %s no environment, command, value, foreign annotation or unknown field is in the row",
    (_, kind, object) => {
      expect(JSON.stringify(object)).toContain(marker);
      expect(textOfRow(projectSample(kind, object))).not.toContain(marker);
      expect(textOfRow(projectSample(kind, withUnknownFields(object)))).not.toContain(marker);
    },
  );

  test.each(samples)("[KI1] the row of a %s has the columns of its kind and no others", (_, kind, object) => {
    const row = projectSample(kind, object);
    expect(row.columns.size).toBeGreaterThan(0);
    expect(strangeColumns(kind, row)).toEqual([]);
    expect(row.columns.has("cut")).toBe(false);
  });

  test.each(samples)("[KI7] a %s written with its keys in another order has the same hash", (_, kind, object) => {
    expect(sealSample(kind, withReversedKeys(object)).rowHash).toBe(sealSample(kind, object).rowHash);
  });

  test.each(samples)("[KI7] the structured columns of a %s are JSON objects", (_, kind, object) => {
    const row = projectSample(kind, object);
    const texts = kind.columns
      .filter(({ isJson }) => isJson === true)
      .flatMap(({ name }) => row.columns.get(name) ?? []);
    for (const text of texts) expect(JSON.parse(String(text))).toBeTypeOf("object");
  });
});

describe("the list of core kinds", () => {
  test("begins with RBAC and holds every resource once", () => {
    expect(coreKinds.slice(0, 4)).toEqual(rbacKinds);
    const resources = coreKinds.map(({ resource }) => resourceIdText(resource));
    expect(new Set(resources).size).toBe(resources.length);
  });

  test("[L18] leaves Secrets out", () => {
    expect(coreKinds).not.toContain(secretKind);
    expect(coreKinds.map(({ resource }) => resource.resource)).not.toContain("secrets");
  });

  test("[KI13] each kind names the API versions it reads, the stable one first", () => {
    for (const { versions } of [...coreKinds, secretKind]) {
      expect(versions[0]).toMatch(/^v\d+$/);
      expect(new Set(versions).size).toBe(versions.length);
    }
  });

  test("[KI6] texts of a kind leave room for its lists", () => {
    for (const { columns } of coreKinds)
      expect(columns.filter(({ type }) => type === "string").length * 1_024).toBeLessThanOrEqual(18_432);
  });
});
