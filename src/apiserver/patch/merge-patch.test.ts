// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { Json, JsonObject } from "../json/json.ts";
import { applyMergePatch } from "./merge-patch.ts";

const cases: readonly [string, JsonObject, JsonObject, JsonObject][] = [
  ["maps are merged", { a: { b: 1, c: 2 } }, { a: { c: 3, d: 4 } }, { a: { b: 1, c: 3, d: 4 } }],
  ["lists are replaced", { a: [1, 2] }, { a: [3] }, { a: [3] }],
  ["null deletes", { a: 1, b: 2 }, { a: null }, { b: 2 }],
  ["null for a missing key does nothing", { a: 1 }, { q: null }, { a: 1 }],
  ["null deletes within maps that are added", {}, { a: { b: null, c: { d: null } } }, { a: { c: {} } }],
  ["null deletes within maps of lists that are added", {}, { a: [{ b: null, c: 1 }] }, { a: [{ c: 1 }] }],
  ["null deletes within maps of lists that replace lists", { a: [1] }, { a: [{ b: null }] }, { a: [{}] }],
  ["null items stay", {}, { a: [null, 1] }, { a: [null, 1] }],
  ["a list in place of a map keeps its nulls", { a: {} }, { a: [{ b: null }] }, { a: [{ b: null }] }],
  ["a map in place of text", { a: "x" }, { a: { b: 1 } }, { a: { b: 1 } }],
  ["a map in place of null", { a: null }, { a: { b: null } }, { a: {} }],
];

test.each(cases)("%s", (_name, object, patch, result) => {
  expect(applyMergePatch(object, patch)).toEqual(result);
});

test.each<[Json, string]>([
  [null, "Invalid JSON Patch"],
  [[], "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}"],
  [5, "error decoding patch: json: cannot unmarshal number into Go value of type map[string]interface {}"],
  [true, "error decoding patch: json: cannot unmarshal bool into Go value of type map[string]interface {}"],
])("%j is no merge patch", (patch, message) => {
  expect(() => applyMergePatch({}, patch)).toThrow(
    expect.objectContaining({ code: 400, reason: "BadRequest", message }),
  );
});
