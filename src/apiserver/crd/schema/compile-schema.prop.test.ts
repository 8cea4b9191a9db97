// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { copyJson, type DraftObject, isObject, type Json, type JsonObject } from "../../json/json.ts";
import { setCrdDefaults } from "../definition/crd-defaults.ts";
import { validateCrd } from "../definition/validate-crd.ts";
import { widgets } from "../testing/recorded.ts";
import { compileSchema } from "./compile-schema.ts";

const keys = fc.constantFrom("a", "b", "c", "metadata", "status", "__proto__", "constructor");
const json = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>;

/** Any values under the keywords of schemas, right ones and wrong ones. */
function anySchema(depth: number): fc.Arbitrary<JsonObject> {
  const child = depth === 0 ? json : anySchema(depth - 1);
  const children = fc.oneof(json, fc.array(child, { maxLength: 2 }));
  return fc.record(
    {
      type: fc.oneof(fc.constantFrom("object", "array", "string", "integer", "number", "boolean", "null"), json),
      format: fc.constantFrom("date-time", "ipv4", "int32", "float", "email", "uri", "duration", "odd"),
      nullable: fc.boolean(),
      default: json,
      minimum: fc.oneof(fc.integer(), fc.double(), json),
      maximum: fc.oneof(fc.integer(), fc.double()),
      exclusiveMaximum: fc.boolean(),
      multipleOf: fc.oneof(fc.integer(), fc.double()),
      minLength: fc.integer(),
      maxLength: fc.integer(),
      pattern: fc.oneof(fc.string(), fc.constantFrom("^a+$", "(", "(a+)+$")),
      enum: fc.oneof(fc.array(json, { maxLength: 3 }), json),
      required: fc.oneof(fc.array(keys), json),
      minItems: fc.integer({ min: 0, max: 3 }),
      maxProperties: fc.integer({ min: 0, max: 3 }),
      items: child,
      properties: fc.oneof(json, fc.dictionary(keys, child, { maxKeys: 3 })),
      additionalProperties: fc.oneof(fc.boolean(), child),
      allOf: children,
      anyOf: children,
      oneOf: children,
      not: child,
      uniqueItems: fc.boolean(),
      "x-kubernetes-preserve-unknown-fields": fc.boolean(),
      "x-kubernetes-embedded-resource": fc.boolean(),
      "x-kubernetes-int-or-string": fc.boolean(),
      "x-kubernetes-list-type": fc.constantFrom("set", "map", "atomic", "odd"),
      "x-kubernetes-list-map-keys": fc.array(keys, { maxLength: 2 }),
    },
    { requiredKeys: [] },
  );
}

/** Schemas as definitions have them, with fields of a few types and defaults that fit. */
function structural(depth: number): fc.Arbitrary<JsonObject> {
  const text = fc.record({ type: fc.constant("string"), default: fc.string() }, { requiredKeys: ["type"] });
  const whole = fc.record(
    { type: fc.constant("integer"), nullable: fc.boolean(), default: fc.integer() },
    { requiredKeys: ["type"] },
  );
  if (depth === 0) return fc.oneof(text, whole);
  const child = structural(depth - 1);
  const fields = fc.record(
    {
      type: fc.constant("object"),
      properties: fc.dictionary(keys, child, { maxKeys: 3 }),
      default: fc.constant({}),
      "x-kubernetes-preserve-unknown-fields": fc.constant(true),
    },
    { requiredKeys: ["type", "properties"] },
  );
  const list = fc.record({ type: fc.constant("array"), items: child });
  const map = fc.record({ type: fc.constant("object"), additionalProperties: child });
  return fc.oneof(text, whole, list, map, fields);
}

const object: fc.Arbitrary<JsonObject> = fc.dictionary(keys, fc.oneof(json, fc.dictionary(keys, json)), { maxKeys: 5 });

test("a pruned and defaulted object prunes and defaults to itself", () => {
  fc.assert(
    fc.property(fc.dictionary(keys, structural(3), { maxKeys: 4 }), object, (properties, given) => {
      const { prune, setDefaults } = compileSchema({ type: "object", properties });
      const draft = copyJson(given);
      prune(draft);
      setDefaults(draft);
      const once = copyJson(draft);
      expect(prune(draft)).toEqual([]);
      setDefaults(draft);
      expect(draft).toEqual(once);
    }),
  );
});

test("every path that pruning reports existed and is removed", () => {
  fc.assert(
    fc.property(fc.dictionary(keys, structural(3), { maxKeys: 4 }), object, (properties, given) => {
      const { prune } = compileSchema({ type: "object", properties });
      const draft = copyJson(given);
      const roots = new Set(prune(draft).filter((path) => !/[.[]/.test(path)));
      for (const key of Object.keys(given)) expect(Object.hasOwn(draft, key)).toBe(!roots.has(key));
    }),
  );
});

test("for any schema and object, decoding and validation end, throw nothing and leave JSON", () => {
  fc.assert(
    fc.property(anySchema(1), object, (schema, given) => {
      const compiled = compileSchema(schema);
      const draft = copyJson(given);
      compiled.prune(draft);
      compiled.cleanEmbedded(draft);
      compiled.setDefaults(draft);
      const before = JSON.stringify(draft);
      for (const { field, text } of [...compiled.validate(draft), ...compiled.validateStatus(draft)])
        expect(typeof field === "string" && text !== "").toBe(true);
      expect(JSON.stringify(draft)).toBe(before);
      expect(isObject(JSON.parse(before) as DraftObject)).toBe(true);
    }),
    { numRuns: 150 },
  );
});

test("validating any definition throws nothing; defaults of a valid schema are valid", () => {
  fc.assert(
    fc.property(fc.oneof(anySchema(1), structural(3)), (openAPIV3Schema) => {
      const crd = widgets({ version: { schema: { openAPIV3Schema } } });
      setCrdDefaults(crd);
      if (validateCrd(crd).length > 0) return;
      const { setDefaults, validateValues } = compileSchema(openAPIV3Schema);
      const empty: DraftObject = {};
      setDefaults(empty);
      const wrongTypes = validateValues(empty).filter(({ reason }) => reason === "FieldValueTypeInvalid");
      expect(wrongTypes).toEqual([]);
    }),
    { numRuns: 150 },
  );
});
