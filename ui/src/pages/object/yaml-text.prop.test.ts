// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { printYaml } from "./yaml-text.ts";

/**
 * Texts as they are met: lines, spaces at either end, signs of YAML, words that mean something in it, what cannot be
 * seen.
 */
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }),
  fc
    .array(
      fc.constantFrom(
        ..."\n\t :#-?&*!|>'\"%@`{}[],=<~.+e0x1_aé\u202e\u00a0\u2028\ufeff\r".split(""),
        "yes",
        "No",
        "null",
        "0o7",
        ".inf",
        "1e5",
        "---",
        "...",
        "12:30:45",
        "2024-01-01",
        "100m",
        "64Mi",
        "\n\n",
        "  ",
        " #",
        ": ",
      ),
      { maxLength: 8 },
    )
    .chain((parts) => fc.constantFrom("", "a", "1").map((first) => first + parts.join(""))),
);

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    text,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 4 }),
    fc
      .array(fc.tuple(fc.oneof(text, fc.constantFrom("__proto__", "constructor", "name")), tie("value")), {
        maxLength: 4,
      })
      .map(toObject),
  ),
}));

/** As JSON.parse makes it: `__proto__` is a key like others. */
function toObject(fields: readonly (readonly [string, unknown])[]): unknown {
  return JSON.parse(`{${fields.map(([key, field]) => `${JSON.stringify(key)}:${JSON.stringify(field)}`).join(",")}}`);
}

/** Maps in the place of objects, so that every key is compared. */
function toMaps(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(toMaps);
  if (node instanceof Map) return new Map([...node].map(([key, field]) => [key, toMaps(field)]));
  if (typeof node === "object" && node !== null) {
    return new Map(Object.entries(node).map(([key, field]) => [key, toMaps(field)]));
  }
  return Object.is(node, -0) ? 0 : node;
}

test.each(["1.2", "1.1"] as const)("what a parser of YAML %s reads is what was printed", (version) => {
  fc.assert(
    fc.property(value, (given) => {
      const printed = printYaml(given);
      const read: unknown = parse(printed, { version, mapAsMap: true, merge: false, uniqueKeys: true });
      expect(toMaps(read)).toEqual(toMaps(given));
    }),
    { numRuns: 1_500 },
  );
});

test("nothing of a text is printed that cannot be seen", () => {
  fc.assert(
    fc.property(value, (given) => {
      expect(printYaml(given).replaceAll(/[\n\t]/g, "")).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
    }),
    { numRuns: 500 },
  );
});
