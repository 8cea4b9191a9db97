// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Json } from "../json/json.ts";
import { evaluateJsonPath, parseJsonPath } from "./json-path.ts";

const key = fc.constantFrom("a", "b", "__proto__", "constructor", "0");
const step = fc.oneof(
  key.map((name) => `.${name}`),
  fc.constantFrom("[0]", "[-1]", "[*]", "[:]", "[1:2]", "['a']", "..", ".*", "[?(@.a)]", '[?(@.a=="x")]', "[?(@>1)]"),
  fc.constantFrom("[", "]", "(", ")", '"', "'", "\\", "{", "}", "@", "$", " ", ",", "?", "1", "é"),
);
const anyPath = fc.oneof(
  fc.array(step, { maxLength: 12 }).map((steps) => steps.join("")),
  fc.string(),
);
const anyValue = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;

function partsOf(value: Json): readonly Json[] {
  const children = typeof value === "object" && value !== null ? Object.values(value) : [];
  return [value, ...children.flatMap(partsOf)];
}

test("any text is a path or has a sentence, and evaluating changes nothing", () => {
  fc.assert(
    fc.property(anyPath, anyValue, (text, value) => {
      const path = parseJsonPath(text);
      const before = JSON.stringify(value);
      if (typeof path === "string") expect(path).not.toBe("");
      else evaluateJsonPath(path, value);
      expect(JSON.stringify(value)).toBe(before);
    }),
  );
});

test("what a path of keys and indexes finds is a part of the value", () => {
  const plainStep = fc.oneof(
    key.map((name) => `.${name}`),
    fc.constantFrom("[0]", "[*]", "..a", ".*"),
  );
  fc.assert(
    fc.property(fc.array(plainStep, { minLength: 1, maxLength: 5 }), anyValue, (steps, value) => {
      const path = parseJsonPath(steps.join(""));
      if (typeof path === "string") throw new Error(path);
      const parts = new Set(partsOf(value));
      for (const found of evaluateJsonPath(path, value)) expect(parts.has(found)).toBe(true);
    }),
  );
});
