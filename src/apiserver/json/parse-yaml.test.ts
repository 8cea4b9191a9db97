// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ApiError } from "../status/api-error.ts";
import type { Draft } from "./json.ts";
import { parseYaml } from "./parse-yaml.ts";
import { stringifyJson } from "./stringify-json.ts";

const options = { findDuplicates: true, kind: "ConfigMap" };

function refusal(text: string): string {
  try {
    parseYaml(text, options);
  } catch (reason) {
    if (reason instanceof ApiError) return reason.message;
    throw reason;
  }
  return "accepted";
}

// Values that kube-apiserver 1.36.3 gives back for these scalars.
describe("plain scalars mean what they mean to the real server", () => {
  test.each<[string, Draft]>([
    ["yes", true],
    ["off", false],
    ["y", true],
    ["N", false],
    ["TRUE", true],
    ["tRue", "tRue"],
    ["~", null],
    ["", null],
    ["0o14", 12],
    ["014", 12],
    ["08", 8],
    ["0o8", "0o8"],
    ["0x1f", 31],
    ["-0x10", -16],
    ["0b101", 5],
    ["0b", "0b"],
    ["1_000", 1000],
    ["_1", "_1"],
    ["1_", 1],
    ["1e3", 1000],
    [".5", 0.5],
    ["1.", 1],
    ["+1", 1],
    ["1e400", "1e400"],
    ["2020-01-01", "2020-01-01"],
    ["12:30:45", "12:30:45"],
    ["!!str 5", "5"],
    ["!!binary YQ==", "a"],
    ["!!int '5'", 5],
    ["!foo x", "x"],
    ["'5'", "5"],
    ['"yes"', "yes"],
    ["9223372036854775807", 9223372036854775807n],
    ["9223372036854775808", 2 ** 63],
    ["<<", "<<"],
    ["|\n   a\n   b\n", "a\nb\n"],
  ])("%j", (source, value) => {
    expect(parseYaml(`v: ${source}\n`, options).value).toEqual({ v: value });
  });

  test.each([
    [".inf", "json: unsupported value: +Inf"],
    ["-.inf", "json: unsupported value: -Inf"],
    [".nan", "json: unsupported value: NaN"],
  ])("%s is refused", (source, sentence) => {
    expect(refusal(`v: ${source}`)).toContain(sentence);
  });
});

describe("documents", () => {
  test("keys become texts", () => {
    expect(parseYaml("{1: a, true: b, 1.5: c, __proto__: d}", options).value).toEqual(
      JSON.parse('{"1":"a","true":"b","1.5":"c","__proto__":"d"}'),
    );
  });

  test("aliases and merge keys are followed; a key of its own wins", () => {
    const text = "base: &b {a: 1, c: 2}\nx:\n  <<: *b\n  c: 3\nw: *b\nz: {<<: [*b, {d: 4, a: 5}]}\n";
    expect(parseYaml(text, options).value).toEqual({
      base: { a: 1, c: 2 },
      x: { a: 1, c: 3 },
      w: { a: 1, c: 2 },
      z: { a: 1, c: 2, d: 4 },
    });
  });

  test("only the first one counts, and an empty one is null", () => {
    expect(parseYaml("a: 1\n---\nb: 2\n", options).value).toEqual({ a: 1 });
    expect(parseYaml("", options).value).toBeNull();
  });

  test("JSON is YAML", () => {
    expect(stringifyJson(parseYaml('{"a": [9007199254740993, "yes"]}', options).value)).toBe(
      '{"a":[9007199254740993,"yes"]}',
    );
  });

  test("repeated keys are named with their line, the last wins", () => {
    const { value, duplicates } = parseYaml("data:\n  a: b\n  a: c\n  yes: 1\n  true: 2\n", options);
    expect(value).toEqual({ data: { a: "c", true: 2 } });
    expect(duplicates).toEqual(['line 3: key "a" already set in map', "line 5: key true already set in map"]);
    expect(parseYaml('{"a":1,\n"a":2}', options).duplicates).toEqual(['line 2: key "a" already set in map']);
    expect(parseYaml("a: 1\na: 2\n", { ...options, findDuplicates: false }).duplicates).toEqual([]);
  });
});

describe("refusals", () => {
  test.each([
    ["a: b: c", "yaml: mapping values are not allowed in this context (613a20623a2063)"],
    ["\tfoo: x", "yaml: found character that cannot start any token"],
    ["@foo: x", "yaml: found character that cannot start any token"],
    ["key: 'abc", "yaml: found unexpected end of stream"],
    ["data: *nope\n", "yaml: unknown anchor 'nope' referenced"],
    ["a: &x [*x]\n", "yaml: anchor 'x' value contains itself"],
    ["%YAML 1.2\n---\na: b\n", "yaml: found incompatible YAML document"],
    ["{[1]: a}", "yaml: invalid map key"],
    ["{null: a}", "unsupported map key of type"],
    ["a: {<<: 5}", "yaml: map merge requires map or sequence of maps as the value"],
  ])("%j", (text, sentence) => {
    expect(refusal(text)).toContain(`the object provided is unrecognized (must be of type ConfigMap): ${sentence}`);
  });

  test("aliases that multiply are stopped", () => {
    const level = (index: number): string => `a${index}: &a${index} [${`*a${index - 1},`.repeat(9)}]`;
    const bomb = ["a0: &a0 [x]", ...Array.from({ length: 8 }, (_, index) => level(index + 1))].join("\n");
    expect(refusal(bomb)).toContain("yaml: document contains excessive aliasing");
  });

  test.each([
    ["flow lists", "[".repeat(3_000_000)],
    ["block lists", "- ".repeat(1_000_000)],
    ["explicit keys", "? ".repeat(1_000_000)],
    ["a level more than allowed", `${"[".repeat(1_001)}${"]".repeat(1_001)}`],
  ])("endless nesting (%s) is an ApiError", (_name, text) => {
    expect(refusal(text)).toContain("the object provided is unrecognized");
  });

  test("a text of too many tokens is refused before it is parsed", () => {
    expect(refusal(`a: [${"b,".repeat(1_000_000)}]`)).toContain("yaml: document has too many tokens; send it as JSON");
    expect(refusal("#\n".repeat(1_000_000))).toContain("yaml: document has too many tokens");
  });

  test("a long text of few tokens is read", () => {
    const line = "  x\n";
    expect(parseYaml(`a: |\n${line.repeat(300_000)}`, options).value).toEqual({ a: "x\n".repeat(300_000) });
  });

  test("no text is answered with anything but a value or an ApiError", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.string({ unit: fc.constantFrom(..."{}[]&*!|>-?:,'\"#% \nab1.<".split("")) }),
        ),
        (text) => {
          expect(typeof refusal(text)).toBe("string");
        },
      ),
      { numRuns: 40 },
    );
  });
});
