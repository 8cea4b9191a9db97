// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { copyJson, type Json, type JsonObject, setKey } from "../json/json.ts";
import { loadSchemaTable } from "../schema/load-schema-table.ts";
import { ApiError } from "../status/api-error.ts";
import { applyJsonPatch } from "./json-patch.ts";
import { applyMergePatch } from "./merge-patch.ts";
import { applyStrategicMergePatch } from "./strategic-merge-patch.ts";

const table = loadSchemaTable();
const pod = table.object("io.k8s.api.core.v1.Pod");

const keys = fc.constantFrom(
  "__proto__",
  "constructor",
  "metadata",
  "spec",
  "containers",
  "name",
  "env",
  "finalizers",
  "labels",
  "$patch",
  "$retainKeys",
  "$setElementOrder/containers",
  "$setElementOrder/finalizers",
  "$deleteFromPrimitiveList/finalizers",
  "a",
);

const { json } = fc.letrec<{ json: Json; object: JsonObject }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 5, depthSize: "small" },
    fc.constantFrom<Json>(null, true, 1, 1.5, 2n ** 60n, "a", "b", "delete", "replace", ""),
    fc.array(tie("json"), { maxLength: 3 }),
    tie("object"),
  ),
  object: fc.array(fc.tuple(keys, tie("json")), { maxLength: 5 }).map((entries) => {
    const object = {};
    for (const [key, value] of entries) setKey(object, key, copyJson(value));
    return object;
  }),
}));
const objects = json.filter(
  (value): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value),
);

const pointers = fc
  .array(fc.oneof(keys, fc.constantFrom("0", "-", "-1", "")), { maxLength: 3 })
  .map((parts) => ["", ...parts].join("/"));
const operations = fc.array(
  fc.record({
    op: fc.constantFrom("add", "remove", "replace", "move", "copy", "test"),
    path: pointers,
    from: pointers,
    value: json,
  }),
  { maxLength: 5 },
);

/** The result, or undefined where the patch is refused; any other error goes through. */
function attempt<T>(apply: () => T): T | undefined {
  try {
    return apply();
  } catch (reason) {
    if (reason instanceof ApiError) return undefined;
    throw reason;
  }
}

function freezeAll(value: Json): void {
  if (typeof value !== "object" || value === null) return;
  Object.freeze(value);
  for (const inner of Object.values<Json>(value)) freezeAll(inner);
}

/** Whether an object within a list has a key that holds null. */
function hasNullInList(value: Json, isInList = false): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some((item: Json) => hasNullInList(item, true));
  return Object.values<Json>(value).some((inner) => (isInList && inner === null) || hasNullInList(inner, isInList));
}

test("a merge patch applied twice is applied once, unless a list with nulls took the place of a map", () => {
  fc.assert(
    fc.property(objects, objects, (object, patch) => {
      const once = applyMergePatch(object, patch);
      const twice = applyMergePatch(once, patch);
      expect(applyMergePatch(twice, patch)).toEqual(twice);
      if (!hasNullInList(patch)) expect(twice).toEqual(once);
    }),
    { examples: [[{ metadata: {} }, { metadata: [{ a: null }] }]] },
  );
});

test("no patch changes what it is given, nor shares it with the result, nor reaches a prototype", () => {
  fc.assert(
    fc.property(objects, objects, operations, (object, patch, list) => {
      for (const input of [object, patch, list]) freezeAll(input);
      const results = [
        attempt(() => applyMergePatch(object, patch)),
        attempt(() => applyJsonPatch(object, list)),
        attempt(() => applyStrategicMergePatch(table, pod, object, patch)),
      ];
      for (const result of results) if (result !== undefined) checkFresh(result);
      expect(Object.keys(Object.prototype)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

/** Everything in a draft can be changed, and has no other prototype than its kind. */
function checkFresh(value: Json): void {
  if (typeof value !== "object" || value === null) return;
  expect(Object.isFrozen(value) && Object.keys(value).length > 0).toBe(false);
  expect(Object.getPrototypeOf(value)).toBe(Array.isArray(value) ? Array.prototype : Object.prototype);
  for (const inner of Object.values<Json>(value)) checkFresh(inner);
}

test("adding, testing and removing a new key gives the object back", () => {
  fc.assert(
    fc.property(objects, json, (object, value) => {
      const list = [
        { op: "add", path: "/new", value },
        { op: "test", path: "/new", value },
        { op: "remove", path: "/new" },
      ];
      expect(applyJsonPatch(object, list)).toEqual(object);
    }),
  );
});

test("a strategic merge patch without lists and directives is a merge patch", () => {
  const labels = fc.dictionary(fc.constantFrom("a", "b", "__proto__"), fc.constantFrom("1", "2", null), {
    noNullPrototype: true,
  });
  fc.assert(
    fc.property(labels, labels, (old, patched) => {
      const object = applyMergePatch({}, { metadata: { labels: old } });
      const patch = { metadata: { labels: patched } };
      expect(applyStrategicMergePatch(table, pod, object, patch)).toEqual(applyMergePatch(object, patch));
    }),
  );
});
