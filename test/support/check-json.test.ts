// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { checkJson, resolverOf } from "./check-json.ts";
import { sampleJson } from "./sample-json.ts";

const alternatives = [{ required: ["text"] }, { required: ["count"] }];
const document = {
  components: {
    schemas: {
      Value: {
        type: "object",
        properties: {
          text: { type: "string" },
          count: { type: "string", pattern: "^[0-9]+$", format: "uint64" },
          size: { type: "integer", minimum: 0, maximum: 9 },
          at: { type: "string", format: "date-time" },
          labels: { type: "object", additionalProperties: { type: "string" } },
          parts: { type: "array", items: { $ref: "#/components/schemas/Value" } },
          state: { type: "string", enum: ["ON", "OFF"] },
        },
        allOf: [{ oneOf: [...alternatives, { not: { anyOf: alternatives } }] }],
      },
    },
  },
};
const schema = { $ref: "#/components/schemas/Value" };
const check = (value: unknown): readonly string[] => checkJson(value, schema, resolverOf(document));

test("a value that fits has no fault, and so has a sample made from the schema", () => {
  expect(check({})).toEqual([]);
  expect(check({ count: "7", size: 9, labels: { a: "b" }, parts: [{ state: "ON" }] })).toEqual([]);
  expect(check(sampleJson(schema, resolverOf(document), "sample"))).toEqual([]);
});

test.each([
  [{ text: 1 }, /\$\.text is of type integer/],
  [{ count: "x" }, /\$\.count does not match/],
  [{ size: 10 }, /\$\.size is more than 9/],
  [{ at: "soon" }, /\$\.at is no moment/],
  [{ labels: { a: 1 } }, /\$\.labels\.a is of type integer/],
  [{ parts: [{ state: "LOST" }] }, /\$\.parts\[0\]\.state has no known value/],
  [{ text: "a", count: "1" }, /exactly one of its alternatives/],
  [{ unknown: 1 }, /\$\.unknown is not in the document/],
])("a value that does not fit is found: %j", (value, fault) => {
  expect(check(value).join("; ")).toMatch(fault);
});

test("a keyword that is not checked is an error", () => {
  expect(() => checkJson({}, { minProperties: 1 }, resolverOf({}))).toThrow(/minProperties/);
});
