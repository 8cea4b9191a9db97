// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { Json, JsonObject } from "../json/json.ts";
import { ApiError } from "../status/api-error.ts";
import { toStatus } from "../status/status-object.ts";
import { applyJsonPatch, jsonPatchComplaints } from "./json-patch.ts";

const object: JsonObject = { data: { k: "v", n: "w" }, list: ["a", "b"], nothing: null, "a/b~c": 1 };

function refusalOf(act: () => unknown): JsonObject {
  try {
    act();
  } catch (reason) {
    if (reason instanceof ApiError) return toStatus(reason);
    throw reason;
  }
  throw new Error("nothing was refused");
}

// Where this differs from RFC 6902, a real server was asked.
const applied: readonly [string, Json, JsonObject][] = [
  ["null is a patch without operations", null, {}],
  ["no operations change nothing", [], {}],
  ["add sets a key", [{ op: "add", path: "/data/z", value: "1" }], { data: { k: "v", n: "w", z: "1" } }],
  ["add without a value sets null", [{ op: "add", path: "/x" }], { x: null }],
  ["add puts an item before an index", [{ op: "add", path: "/list/1", value: "x" }], { list: ["a", "x", "b"] }],
  ["add takes the length as index", [{ op: "add", path: "/list/2", value: "x" }], { list: ["a", "b", "x"] }],
  ["add takes - as the end", [{ op: "add", path: "/list/-", value: "x" }], { list: ["a", "b", "x"] }],
  ["add counts -1 from behind the end", [{ op: "add", path: "/list/-1", value: "x" }], { list: ["a", "b", "x"] }],
  ["an index may have a plus sign", [{ op: "add", path: "/list/+0", value: "x" }], { list: ["x", "a", "b"] }],
  ["an index may have leading zeros", [{ op: "add", path: "/list/00", value: "x" }], { list: ["x", "a", "b"] }],
  ["what stands before the first slash does not count", [{ op: "add", path: "x/y", value: 1 }], { y: 1 }],
  ["replace of a missing key succeeds", [{ op: "replace", path: "/q", value: 1 }], { q: 1 }],
  ["replace of an item by negative index", [{ op: "replace", path: "/list/-1", value: "x" }], { list: ["a", "x"] }],
  ["remove of an item", [{ op: "remove", path: "/list/0" }], { list: ["b"] }],
  ["move of a key", [{ op: "move", from: "/data/k", path: "/data/m" }], { data: { m: "v", n: "w" } }],
  ["copy of a missing key copies null", [{ op: "copy", from: "/data/q", path: "/c" }], { c: null }],
  ["copy of a map", [{ op: "copy", from: "/list", path: "/c" }], { c: ["a", "b"] }],
  ["test of an equal value", [{ op: "test", path: "/data", value: { n: "w", k: "v" } }], {}],
  ["test of a missing key against null", [{ op: "test", path: "/data/q", value: null }], {}],
  ["test of a missing key without a value", [{ op: "test", path: "/data/q" }], {}],
  ["escapes are read from left to right", [{ op: "add", path: "/~01", value: 1 }], { "~1": 1 }],
  ["escapes name keys with slashes", [{ op: "test", path: "/a~1b~0c", value: 1 }], {}],
];

test.each(applied)("%s", (_name, operations, changes) => {
  expect(applyJsonPatch(object, operations)).toEqual({ ...object, ...changes });
});

test("replace of the whole document", () => {
  expect(applyJsonPatch(object, [{ op: "replace", path: "", value: { kind: "X" } }])).toEqual({ kind: "X" });
});

const failing: readonly [string, Json][] = [
  ["no operation at all", [null]],
  ["an operation without op", [{}]],
  ["an unknown op", [{ op: "foo", path: "/data/k" }]],
  ["an op in capitals", [{ OP: "remove", path: "/data/k" }]],
  ["no path", [{ op: "add" }]],
  ["a path without a slash", [{ op: "add", path: "data", value: {} }]],
  ["add of the whole document", [{ op: "add", path: "", value: {} }]],
  ["a missing parent", [{ op: "add", path: "/metadata/annotations/x", value: "y" }]],
  ["a parent that is text", [{ op: "add", path: "/data/k/x", value: "y" }]],
  ["a parent that is null", [{ op: "add", path: "/nothing/x", value: "y" }]],
  ["remove of a missing key", [{ op: "remove", path: "/data/q" }]],
  ["an index beyond the end", [{ op: "add", path: "/list/3", value: "x" }]],
  ["replace at the end", [{ op: "replace", path: "/list/2", value: "x" }]],
  ["a negative index beyond the beginning", [{ op: "remove", path: "/list/-3" }]],
  ["an index that is no number", [{ op: "add", path: "/list/x", value: "x" }]],
  ["move of a missing key", [{ op: "move", from: "/data/q", path: "/c" }]],
  ["move into itself", [{ op: "move", from: "/data", path: "/data/x" }]],
  ["copy without from", [{ op: "copy", path: "/c" }]],
  ["test of another value", [{ op: "test", path: "/data/k", value: "w" }]],
  ["test without a value", [{ op: "test", path: "/data/k" }]],
  ["test of an index that is not there", [{ op: "test", path: "/list/5", value: null }]],
  ["test of the whole document", [{ op: "test", path: "", value: {} }]],
  ["replace of the document by a number", [{ op: "replace", path: "", value: 5 }]],
  ["replace of the document by nothing", [{ op: "replace", path: "" }]],
];

test.each(failing)("%s is refused in the real server's words", (_name, operations) => {
  expect(refusalOf(() => applyJsonPatch(object, operations))).toEqual({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: "the server rejected our request due to an error in our request",
    reason: "Invalid",
    details: {},
    code: 422,
  });
});

const garbage: readonly [Json, string][] = [
  [{}, "json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp"],
  [5, "json: cannot unmarshal number into Go value of type []handlers.jsonPatchOp"],
  ["x", "json: cannot unmarshal string into Go value of type []handlers.jsonPatchOp"],
  [[5], "json: cannot unmarshal number into Go value of type handlers.jsonPatchOp"],
  [[{ op: 5 }], "json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string"],
  [[{ op: "add", path: [] }], "json: cannot unmarshal array into Go struct field jsonPatchOp.path of type string"],
];

test.each(garbage)("%j is no JSON patch", (operations, message) => {
  const refusal = refusalOf(() => applyJsonPatch(object, operations));
  expect(refusal).toMatchObject({ code: 400, reason: "BadRequest", message: `error decoding patch: ${message}` });
});

test("a document that has become a list is refused as no object", () => {
  const refusal = refusalOf(() => applyJsonPatch(object, [{ op: "replace", path: "", value: [] }]));
  expect(refusal).toMatchObject({ code: 422, reason: "Invalid", details: { causes: [{ field: "patch" }] } });
  expect(refusal["message"]).toMatch(/^ "" is invalid: patch: Invalid value: "\[\]": couldn't get version\/kind; /u);
});

test("more than 10,000 operations are too many", () => {
  const operations = Array.from({ length: 10_001 }, () => ({ op: "test", path: "/q" }));
  expect(refusalOf(() => applyJsonPatch(object, operations))).toMatchObject({
    code: 413,
    reason: "RequestEntityTooLarge",
    message: "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001",
  });
  expect(applyJsonPatch(object, operations.slice(1))).toEqual(object);
});

test("copies that double the document end at the copy bound", () => {
  const operations = Array.from({ length: 60 }, (_, index) => ({ op: "copy", from: "/data", path: `/data/x${index}` }));
  expect(refusalOf(() => applyJsonPatch(object, operations))).toMatchObject({ code: 422 });
});

test("moves that nest the document without end are refused, not a crash", () => {
  const nest = [
    { op: "add", path: "/b", value: {} },
    { op: "move", from: "/data", path: "/b/a" },
    { op: "move", from: "/b", path: "/data" },
  ];
  const operations = Array.from({ length: 3_000 }, () => nest).flat();
  expect(refusalOf(() => applyJsonPatch(object, operations))).toMatchObject({ code: 422 });
});

test("endless shifting of a long list is refused", () => {
  const list = Array.from({ length: 50_000 }, () => "a");
  const operations = Array.from({ length: 10_000 }, () => ({ op: "add", path: "/list/-", value: "x" }));
  expect(refusalOf(() => applyJsonPatch({ list }, operations))).toMatchObject({ code: 422 });
  expect(applyJsonPatch({ list }, operations.slice(0, 1_000))).toEqual({ list: [...list, ...Array(1_000).fill("x")] });
});

test("unknown keys of operations are complained of with their place", () => {
  const operations = [{ op: "add", path: "/a", value: 1 }, { op: "copy", extra: 1, OP: 2 }, 5];
  expect(jsonPatchComplaints(operations)).toEqual([
    'json patch unknown field "[1].extra"',
    'json patch unknown field "[1].OP"',
  ]);
});
