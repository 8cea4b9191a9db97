// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { recordIo } from "../testing/recorded-io.ts";
import { printOneOfMany, printResult, toJsonText, toYaml } from "./output.ts";

/** What steers a terminal: control characters but for ends of lines and tabs, and marks of direction. */
const steering = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

const hostile = {
  "key\u001b[2J": "\u001b]0;title\u0007",
  c1: "x\u009b31m",
  del: "a\u007fb",
  bidi: "photo\u202egnp.exe\u2066\u200f\u061c",
  lines: "one\ntwo\u0085\n",
  list: ["\u0000", "plain", { deep: "\u202a" }],
};

const steeringText = fc.string({
  unit: fc.constantFrom(
    "a",
    " ",
    "\n",
    "\t",
    "\u001b",
    "\u007f",
    "\u0085",
    "\u009b",
    "\u202e",
    "\u2066",
    '"',
    "\\",
    ":",
    "#",
    "'",
  ),
  maxLength: 12,
});

describe("output for programs", () => {
  test("[CO71] names and messages of a cluster steer no terminal in JSON, and read back as the same", () => {
    for (const indent of [0, 2]) {
      const text = toJsonText(hostile, indent);
      expect(text).not.toMatch(steering);
      expect(JSON.parse(text)).toEqual(hostile);
    }
  });

  test("[CO71] nor in YAML, whatever they are", async () => {
    const text = await toYaml(hostile);
    expect(text).not.toMatch(steering);
    expect(parse(text)).toEqual(hostile);
    await fc.assert(
      fc.asyncProperty(fc.dictionary(steeringText, fc.oneof(steeringText, fc.array(steeringText))), async (value) => {
        const printed = await toYaml(value);
        expect(printed).not.toMatch(steering);
        expect(parse(printed)).toEqual(value);
      }),
      { numRuns: 200 },
    );
  });

  test("text without such characters is printed as before", async () => {
    expect(await toYaml({ a: "no", b: "one\ntwo\n", c: "ü" })).toBe('a: "no"\nb: |\n  one\n  two\nc: ü\n');
  });

  test.each(["json", "yaml"] as const)("[CO71] a result and one of many are printed so as %s", async (format) => {
    const { io, stdout } = recordIo();
    const printed = { value: { name: "a\u202eb\u009b" }, text: "" };
    await printResult(io.stdout, format, printed);
    await printOneOfMany(io.stdout, format, printed);
    expect(stdout()).not.toMatch(steering);
    expect(stdout().match(/\\u202e/g)).toHaveLength(2);
  });
});
