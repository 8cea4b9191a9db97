// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { copyJson, type DraftObject, type Json } from "../../json/json.ts";
import { formatFieldError, recordedObjects } from "../testing/recorded.ts";
import { compileSchema } from "./compile-schema.ts";

/** What the server does with a body, in the form of the recorded answers. */
function answer(schema: Json, spec: Json | undefined): object {
  const compiled = compileSchema({ type: "object", properties: { spec: schema } });
  const body: DraftObject = copyJson({ metadata: { name: "a" }, ...(spec === undefined ? {} : { spec }) });
  const pruned = compiled.prune(body);
  const embedded = compiled.cleanEmbedded(body);
  if (embedded.error !== undefined) return { refusal: `${embedded.error.field}: ${embedded.error.text}` };
  const warnings = [...pruned, ...embedded.dropped].map((path) => `unknown field "${path}"`);
  compiled.setDefaults(body);
  const errors = compiled.validate(body).map(formatFieldError).toSorted();
  const made = body["spec"];
  return {
    ...(errors.length > 0 ? { errors } : made === undefined ? {} : { result: made }),
    ...(warnings.length > 0 ? { warnings } : {}),
  };
}

function parse(text: string): DraftObject {
  return JSON.parse(text) as DraftObject;
}

describe("objects are pruned, defaulted and validated as by the real server", () => {
  test.each(recordedObjects)("with the schema $name", ({ schema, answers }) => {
    for (const { spec, errors, refusal, ...expected } of answers) {
      const mine = answer(schema, spec);
      // Go goes through its maps in any order, so the order of errors says nothing.
      const theirs = {
        ...expected,
        ...(errors === undefined ? {} : { errors: errors.toSorted() }),
        ...(refusal === undefined
          ? {}
          : { refusal: expect.stringContaining((mine as { refusal?: string }).refusal ?? "?") }),
      };
      expect(mine, JSON.stringify(spec)).toEqual(theirs);
    }
  });
});

describe("a schema and an object that are made to hurt", () => {
  test("keys of Object.prototype are keys like any other", () => {
    const { prune, setDefaults, validate } = compileSchema(
      parse(
        '{"type":"object","properties":{"__proto__":{"type":"object","default":{"a":1},"properties":{"a":{"type":"integer"}}}}}',
      ),
    );
    const body = parse('{"constructor":{"x":1},"toString":1}');
    expect(prune(body)).toEqual(["constructor", "toString"]);
    setDefaults(body);
    expect(JSON.stringify(body)).toBe('{"__proto__":{"a":1}}');
    expect(validate(body)).toEqual([]);
    expect(validate(parse('{"__proto__":{"a":"x"}}')).map(({ field }) => field)).toEqual(["__proto__.a"]);
  });

  test("many alternatives for many items end within the budget, with an error", () => {
    const alternatives = Array.from({ length: 100 }, (_, index) => ({ items: { minimum: index + 1 } }));
    const schema = { type: "array", items: { type: "integer" }, anyOf: alternatives };
    const { validate } = compileSchema({ type: "object", properties: { l: schema } }, 1_000_000);
    const errors = validate({ l: Array.from({ length: 2_000 }, () => 0) });
    expect(errors.at(-1)?.text).toContain("takes more work than this server does");
    expect(validate({ l: [1, 2, 3] })).toEqual([]);
  });

  test("a text that is too long for its pattern is refused, not matched", () => {
    const properties = { p: { type: "string", pattern: "^(.*a){90}$" } };
    const { validate } = compileSchema({ type: "object", properties }, 1_000_000);
    expect(validate({ p: "a".repeat(80) }).map(({ text }) => text.slice(-13))).toEqual(["'^(.*a){90}$'"]);
    expect(validate({ p: "a".repeat(100) })).toEqual([]);
    expect(validate({ p: "a".repeat(100_000) })[0]?.text).toContain("too long to be matched");
  });

  test("a schema nested without end is read to a bound", () => {
    let schema: DraftObject = { type: "object" };
    for (let depth = 0; depth < 1_000; depth += 1)
      schema = { type: "object", properties: { a: schema }, not: { anyOf: [] } };
    const { prune, validate, setDefaults } = compileSchema(schema);
    const body: DraftObject = { a: { a: { b: 1 } } };
    expect(prune(body)).toEqual(["a.a.b"]);
    setDefaults(body);
    expect(() => validate(body)).not.toThrow();
  });
});
