// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { JsonObject } from "../json/json.ts";
import { decodeBody, encodeBody, renderBody, renderPrefix } from "./stored-body.ts";

const decoder = new TextDecoder();
const textOf = (bytes: Uint8Array): string => decoder.decode(bytes);
const prefix = renderPrefix("example.org/v1", "Widget");

test("[AP1] apiVersion, kind and resourceVersion are not stored, metadata comes first", () => {
  const body = encodeBody({
    spec: { a: 1 },
    kind: "Widget",
    apiVersion: "example.org/v1",
    metadata: { resourceVersion: "7", name: "w" },
  });
  expect(textOf(body)).toBe('{"metadata":{"name":"w"},"spec":{"a":1}}');
});

test("an object of nothing but metadata is stored and served", () => {
  const body = encodeBody({ metadata: { name: "w" } });
  expect(textOf(body)).toBe('{"metadata":{"name":"w"}}');
  expect(textOf(renderBody(body, prefix, 3))).toBe(
    '{"kind":"Widget","apiVersion":"example.org/v1","metadata":{"resourceVersion":"3","name":"w"}}',
  );
});

test("the requested apiVersion and the revision are inserted without parsing", () => {
  const body = encodeBody({ metadata: { name: "w", labels: { a: "b" } }, spec: {} });
  expect(textOf(renderBody(body, prefix, 42))).toBe(
    '{"kind":"Widget","apiVersion":"example.org/v1","metadata":{"resourceVersion":"42","name":"w","labels":{"a":"b"}},"spec":{}}',
  );
  expect(decodeBody(body, 42)).toEqual({
    metadata: { name: "w", labels: { a: "b" }, resourceVersion: "42" },
    spec: {},
  });
});

test("a key of digits, which JavaScript puts before all others, does not come between the pieces", () => {
  const body = encodeBody({ metadata: { name: "w", 0: "zero" }, 1: "one", spec: {} });
  expect(JSON.parse(textOf(renderBody(body, prefix, 9)))).toEqual({
    kind: "Widget",
    apiVersion: "example.org/v1",
    metadata: { resourceVersion: "9", name: "w", 0: "zero" },
    1: "one",
    spec: {},
  });
});

test.each([
  ["the largest of 64 bits", 9223372036854775807n, "9223372036854775807"],
  ["the smallest of 64 bits", -9223372036854775808n, "-9223372036854775808"],
  ["one that a double just cannot hold", 9007199254740993n, "9007199254740993"],
])("integers survive to the last digit: %s", (_, value, digits) => {
  const body = encodeBody({ metadata: { name: "w" }, spec: { value } });
  expect(textOf(body)).toContain(`"value":${digits}`);
  expect(decodeBody(body, 1)["spec"]).toEqual({ value });
});

test.each([
  ["a double of more than 64 bits", 1e20],
  ["a huge double", 1e300],
  ["the largest safe integer", Number.MAX_SAFE_INTEGER],
  ["a long fraction", 0.1234567890123456],
])("doubles stay doubles: %s", (_, value) => {
  const body = encodeBody({ metadata: { name: "w" }, spec: { value } });
  expect(decodeBody(body, 1)["spec"]).toEqual({ value });
});

test("digits in texts are no numbers", () => {
  const body = encodeBody({ metadata: { name: "w" }, data: { digits: "12345678901234567890", n: 3 } });
  expect(decodeBody(body, 1)["data"]).toEqual({ digits: "12345678901234567890", n: 3 });
});

test.each(["12345678901234567890", "1"])("the key __proto__ is a key like any other, beside %s", (digits) => {
  const object = JSON.parse(
    `{"metadata":{"name":"w","labels":{"__proto__":"x","constructor":"y"}},"__proto__":{"a":${digits}},"spec":{"__proto__":{"polluted":true}}}`,
  ) as JsonObject;
  const decoded = decodeBody(encodeBody(object), 5);
  expect(Object.keys(decoded)).toEqual(["metadata", "__proto__", "spec"]);
  expect(Object.keys(decoded["spec"] as JsonObject)).toEqual(["__proto__"]);
  expect((decoded["metadata"] as JsonObject)["labels"]).toEqual(
    JSON.parse('{"__proto__":"x","constructor":"y"}') as JsonObject,
  );
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});
