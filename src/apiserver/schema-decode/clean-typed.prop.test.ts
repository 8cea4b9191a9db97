// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Draft, type DraftObject, isObject, setKey } from "../json/json.ts";
import { parseJsonText } from "../json/parse-json.ts";
import { stringifyJson } from "../json/stringify-json.ts";
import { arbitraryJson } from "../json/testing/arbitrary-json.ts";
import { loadSchemaTable } from "../schema/load-schema-table.ts";
import type { ObjectSchema, TypeRef } from "../schema/schema.ts";
import { ApiError } from "../status/api-error.ts";
import { type CleanedObject, cleanTyped } from "./clean-typed.ts";

const table = loadSchemaTable();
const kinds = table.resources.flatMap(({ group, version, kind }) => {
  const schema = table.ofKind(group, version, kind);
  return schema === undefined ? [] : [{ version, kind, schema }];
});
const arbitraryKind = fc.constantFrom(...kinds);

/** Values that are now and then of the right type, so that decoding goes deep before it meets what is wrong. */
function arbitraryOf(type: TypeRef, depth: number): fc.Arbitrary<Draft> {
  const wrong = { weight: 1, arbitrary: fc.oneof(arbitraryJson, fc.constant(null)) };
  const right = (arbitrary: fc.Arbitrary<Draft>): fc.Arbitrary<Draft> => fc.oneof({ weight: 60, arbitrary }, wrong);
  switch (type.kind) {
    case "object":
      return depth === 0 ? fc.constant({}) : right(arbitraryObject(table.object(type.name), depth - 1));
    case "list":
      return right(depth === 0 ? fc.constant([]) : fc.array(arbitraryOf(type.item, depth - 1), { maxLength: 2 }));
    case "map":
      return right(
        depth === 0
          ? fc.constant({})
          : fc
              .array(fc.tuple(fc.constantFrom("a", "__proto__", "b"), arbitraryOf(type.value, depth - 1)), {
                maxLength: 2,
              })
              .map(toObject),
      );
    case "boolean":
      return right(fc.boolean());
    case "int32":
    case "int64":
    case "double":
      return right(fc.integer());
    case "quantity":
      return right(fc.constantFrom("1", "1000m", "0.5Gi", "1e3", 2, "0", "1.5", "-3Ki"));
    case "time":
      return right(fc.constantFrom("2020-01-01T00:00:00Z", "2020-01-01T02:00:00.5+02:00", "0001-01-01T00:00:00Z"));
    case "microTime":
      return right(fc.constantFrom("2020-01-01T00:00:00.000000Z", "2020-01-01T02:00:00.000001+02:00"));
    case "bytes":
      return right(fc.constantFrom("", "YQ==", "YR=="));
    case "string":
    case "duration":
    case "intOrString":
      return right(fc.constantFrom("", "x"));
    default:
      return arbitraryJson;
  }
}

function arbitraryObject(schema: ObjectSchema, depth: number): fc.Arbitrary<Draft> {
  const fields = [...schema.fields.values()];
  if (fields.length === 0) return fc.constant({});
  const known = fc
    .constantFrom(...fields)
    .chain(({ name, type }) => fc.tuple(fc.constant(name), arbitraryOf(type, depth)));
  const unknown = fc.tuple(fc.constantFrom("bogus", "__proto__", "constructor", "1"), arbitraryJson);
  return fc
    .array(fc.oneof({ weight: 9, arbitrary: known }, { weight: 1, arbitrary: unknown }), { maxLength: 5 })
    .map(toObject);
}

function toObject(entries: readonly (readonly [string, Draft])[]): DraftObject {
  const object: DraftObject = {};
  for (const [key, value] of entries) setKey(object, key, value);
  return object;
}

function cleanOrRefuse(
  body: DraftObject,
  { version, kind, schema }: (typeof kinds)[number],
): CleanedObject | undefined {
  try {
    return cleanTyped(table, schema, body, { version, kind });
  } catch (reason) {
    expect(reason).toBeInstanceOf(ApiError);
    expect(reason).toMatchObject({ code: 400, reason: "BadRequest" });
    return undefined;
  }
}

test("any body gives an object or an ApiError, and cleaning is idempotent", () => {
  let cleanedCount = 0;
  const bodies = arbitraryKind.chain((kind) => fc.tuple(fc.constant(kind), arbitraryObject(kind.schema, 4)));
  fc.assert(
    fc.property(bodies, ([kind, body]) => {
      if (!isObject(body)) return;
      const once = cleanOrRefuse(body, kind);
      if (once === undefined) return;
      cleanedCount += 1;
      const twice = cleanOrRefuse(once.object, kind);
      expect(twice?.complaints).toEqual([]);
      expect(stringifyJson(twice?.object ?? null)).toBe(stringifyJson(once.object));
    }),
    { numRuns: 400 },
  );
  expect(cleanedCount).toBeGreaterThan(40);
});

test("values of every shape in every place are answered, straight from their text", () => {
  fc.assert(
    fc.property(
      arbitraryKind,
      fc.constantFrom("spec", "metadata", "status", "data"),
      arbitraryJson,
      (kind, field, value) => {
        const text = `{"${field}":{},"${field}":${stringifyJson(value)}}`;
        const parsed = parseJsonText(text, { findDuplicates: true });
        if (!isObject(parsed.value)) return;
        try {
          const { complaints } = cleanTyped(table, kind.schema, parsed.value, { ...kind, parsed });
          expect(complaints[0]).toMatch(/^(?:unknown|duplicate) field "/);
        } catch (reason) {
          expect(reason).toBeInstanceOf(ApiError);
        }
      },
    ),
  );
});
