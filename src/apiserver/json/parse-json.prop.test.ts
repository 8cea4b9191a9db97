// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ApiError } from "../status/api-error.ts";
import { isEqualJson } from "./json.ts";
import { JsonReader } from "./json-reader.ts";
import { JsonTextError } from "./json-text-error.ts";
import { parseJson, parseJsonText } from "./parse-json.ts";
import { stringifyJson } from "./stringify-json.ts";
import { arbitraryJson } from "./testing/arbitrary-json.ts";

const strict = { findDuplicates: true };

test("what is printed is read as it was, with no repeated key, by both readers", () => {
  fc.assert(
    fc.property(arbitraryJson, (value) => {
      const text = stringifyJson(value);
      const parsed = parseJsonText(text, strict);
      expect(parsed.duplicates).toEqual([]);
      expect(stringifyJson(parsed.value)).toBe(text);
      expect(isEqualJson(parsed.value, value)).toBe(true);
      const exact = new JsonReader(text, { maxDepth: 100 });
      expect(stringifyJson(exact.read())).toBe(text);
      expect(exact.duplicates).toEqual([]);
    }),
  );
});

test("a text with a hole or a strange character is read as JSON.parse reads it, or refused as it refuses it", () => {
  const damaged = fc
    .tuple(
      arbitraryJson,
      fc.nat(),
      fc.nat(3),
      fc.constantFrom("", "{", "}", "[", '"', ",", ":", "\\", "1", "e", ".", "-", " ", "\t", "n", "\u0000"),
    )
    .map(([value, at, cut, insert]) => {
      const text = stringifyJson(value);
      const from = at % (text.length + 1);
      return text.slice(0, from) + insert + text.slice(from + cut);
    });
  fc.assert(
    fc.property(damaged, (text) => {
      let wanted: unknown;
      try {
        wanted = JSON.parse(text);
      } catch {
        expect(() => parseJsonText(text, strict)).toThrow(JsonTextError);
        return;
      }
      // JSON.parse makes a number beyond every double infinite, which Go refuses.
      fc.pre(
        !JSON.stringify(wanted, (_key, part: unknown) =>
          part === Infinity || part === -Infinity ? "∞" : part,
        ).includes("∞"),
      );
      const exact = new JsonReader(text, { maxDepth: 100 }).read();
      const float = JSON.parse(stringifyJson(exact)) as unknown;
      expect(JSON.stringify(float)).toBe(JSON.stringify(wanted).replaceAll(/\\ud[89a-f][0-9a-f]{2}/g, "\ufffd"));
    }),
    { numRuns: 500 },
  );
});

test("no text is answered with anything but a value or an ApiError", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: "binary" }),
        fc.string({ unit: fc.constantFrom(...'{}[]",:\\u0d1e.-+ntf'.split("")) }),
      ),
      (text) => {
        try {
          parseJson(text, { ...strict, kind: "Pod" });
        } catch (reason) {
          expect(reason).toBeInstanceOf(ApiError);
          expect(reason).toMatchObject({ code: 400 });
        }
      },
    ),
    { numRuns: 500 },
  );
});

test("a key is complained of exactly if it is repeated", () => {
  const entries = fc.array(
    fc.tuple(fc.constantFrom("a", "b", "__proto__", "0"), fc.constantFrom("1", '"a:b"', '{"a":1}', "1.5")),
    { maxLength: 6 },
  );
  fc.assert(
    fc.property(entries, (list) => {
      const { duplicates } = parseJsonText(`{${list.map(([key, value]) => `"${key}":${value}`).join(",")}}`, strict);
      const keys = list.map(([key]) => key);
      const repeated = [...new Set(keys.filter((key, index) => keys.indexOf(key) < index))];
      expect(duplicates).toEqual(repeated.map((key) => `duplicate field "${key}"`));
    }),
  );
});
