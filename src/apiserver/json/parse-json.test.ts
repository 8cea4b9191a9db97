// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { ApiError } from "../status/api-error.ts";
import { JsonTextError } from "./json-text-error.ts";
import { maxJsonDepth, parseJson, parseJsonText } from "./parse-json.ts";
import { stringifyJson } from "./stringify-json.ts";

const strict = { findDuplicates: true };

function refusal(text: string): string {
  try {
    parseJson(text, { ...strict, kind: "ConfigMap" });
  } catch (reason) {
    if (reason instanceof ApiError) return `${reason.code} ${reason.reason} ${reason.message}`;
    throw reason;
  }
  return "accepted";
}

describe("numbers", () => {
  test.each<[string, number | bigint]>([
    ["9007199254740991", 9007199254740991],
    ["9007199254740993", 9007199254740993n],
    ["-9223372036854775808", -9223372036854775808n],
    ["9223372036854775807", 9223372036854775807n],
    ["9223372036854775808", 2 ** 63],
    ["123456789012345678901234567890", 1.2345678901234568e29],
    ["1000000000000000", 1e15],
    ["1.0", 1],
    ["1e3", 1000],
    ["0.1", 0.1],
    ["-0", -0],
    ["1e-400", 0],
  ])("%s keeps every digit that the real server keeps", (text, value) => {
    expect(parseJsonText(text, strict).value).toBe(value);
    expect(parseJsonText(`{"a":[${text}]}`, strict).value).toEqual({ a: [value] });
  });

  test("the source text is known where it is not that of a plain integer", () => {
    const { value, details } = parseJsonText('{"a":1.0,"b":1,"c":[1e3,"1.0"],"d":9223372036854775808}', strict);
    const object = value as { a: number; c: number[] };
    expect(details.numberText(object, "a")).toBe("1.0");
    expect(details.numberText(object, "b")).toBeUndefined();
    expect(details.numberText(object.c, 0)).toBe("1e3");
    expect(details.numberText(object.c, 1)).toBeUndefined();
    expect(details.numberText(object, "c")).toBeUndefined();
    expect(details.numberText(object, "d")).toBe("9223372036854775808");
  });

  test("one beyond every double is refused", () => {
    expect(refusal('{"a":1e999}')).toContain("json: cannot unmarshal number 1e999 into Go value of type float64");
  });
});

describe("texts", () => {
  test.each([
    ['"\\ud83d\\ude00"', "😀"],
    ['"\\ud800"', "\ufffd"],
    ['"\\ud800x\\udc00"', "\ufffdx\ufffd"],
    ['"\\u0041\\n\\/\\\\\\""', 'A\n/\\"'],
    ['"\\\\ud800"', "\\ud800"],
  ])("%s", (text, value) => {
    expect(parseJsonText(text, strict).value).toBe(value);
  });

  test("__proto__ is a plain key on both ways of reading", () => {
    for (const text of ['{"__proto__":{"a":1}}', '{"__proto__":{"a":1.5}}']) {
      const { value } = parseJsonText(text, strict);
      expect(stringifyJson(value)).toBe(text);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    }
  });
});

describe("repeated keys", () => {
  test.each<[string, string[]]>([
    ['{"a":1,"b":2}', []],
    ['{"data":{"a":"1","a":"2"}}', ['duplicate field "data.a"']],
    ['{"a":1,"a":2,"a":3}', ['duplicate field "a"']],
    ['{"l":[{"x":1},{"y":1,"y":2}]}', ['duplicate field "l[1].y"']],
    ['[[{"y":1,"y":2}]]', ['duplicate field "[0][0].y"']],
    ['{"b":{"x":1,"x":2},"a":1,"b":2}', ['duplicate field "b.x"', 'duplicate field "b"']],
    ['{"\\u0061":1,"a":2}', ['duplicate field "a"']],
    ['{"q\\"\\n":1,"q\\"\\n":2}', ['duplicate field "q\\"\\n"']],
    ['{"__proto__":1,"__proto__":2}', ['duplicate field "__proto__"']],
    ['{"a":"b:c\\"d:e\\\\","f":":"}', []],
    ['{"a":{"":1,"":2}}', ['duplicate field "a."']],
  ])("%s", (text, duplicates) => {
    expect(parseJsonText(text, strict).duplicates).toEqual(duplicates);
    expect(parseJsonText(text, { findDuplicates: false }).duplicates).toEqual([]);
  });

  test("the last value wins and the entries are known in order", () => {
    const { value, details } = parseJsonText('{"a":1,"b":2,"a":{"c":3}}', strict);
    const object = value as { a: { c: number }; b: number };
    expect(object).toEqual({ a: { c: 3 }, b: 2 });
    expect(details.entriesOf(object)).toEqual([
      ["a", 1],
      ["b", 2],
      ["a", { c: 3 }],
    ]);
    expect(details.entriesOf(object.a)).toBeUndefined();
  });

  test("no more than a hundred are reported", () => {
    const text = `{${Array.from({ length: 150 }, (_, index) => `"k${index}":1,"k${index}":2`).join(",")}}`;
    expect(parseJsonText(text, strict).duplicates).toHaveLength(100);
  });
});

// Sentences of kube-apiserver 1.36.3.
describe("what is not JSON", () => {
  test.each([
    ["{", "unexpected end of JSON input"],
    ["", "unexpected end of JSON input"],
    ['"abc', "unexpected end of JSON input"],
    ['{"a"', "unexpected end of JSON input"],
    ['{"a":1', "unexpected end of JSON input"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":tru}', "invalid character '}' in literal true (expecting 'e')"],
    ['{"a":nulx}', "invalid character 'x' in literal null (expecting 'l')"],
    ["nul", "invalid character ' ' in literal null (expecting 'l')"],
    ['{"a":fals', "invalid character ' ' in literal false (expecting 'e')"],
    ['{"a":01}', "invalid character '1' after object key:value pair"],
    ['{"a":-}', "invalid character '}' in numeric literal"],
    ['{"a":1.}', "invalid character '}' after decimal point in numeric literal"],
    ['{"a":1e}', "invalid character '}' in exponent of numeric literal"],
    ['{"a":1e+}', "invalid character '}' in exponent of numeric literal"],
    ["-", "invalid character ' ' in numeric literal"],
    ['{"a":+1}', "invalid character '+' looking for beginning of value"],
    ['{"a":"x\ny"}', "invalid character '\\n' in string literal"],
    ['{"a":"\\x"}', "invalid character 'x' in string escape code"],
    ['"\\', "invalid character ' ' in string escape code"],
    ['{"a":"\\u12g4"}', "invalid character 'g' in \\u hexadecimal character escape"],
    ["{} x", "invalid character 'x' after top-level value"],
    ['{"a":1}}', "invalid character '}' after top-level value"],
    ['{"a":1 "b"}', "invalid character '\"' after object key:value pair"],
    ['{"a":[1 2]}', "invalid character '2' after array element"],
    ['{"a":[1,]}', "invalid character ']' looking for beginning of value"],
    ["{a:1}", "invalid character 'a' looking for beginning of object key string"],
    ["\ufeff{}", "invalid character 'ï' looking for beginning of value"],
    ["é", "invalid character 'Ã' looking for beginning of value"],
    ["😀", "invalid character 'ð' looking for beginning of value"],
    ["\u0001", "invalid character '\\x01' looking for beginning of value"],
    ["\u00a0", "invalid character 'Â' looking for beginning of value"],
    ["{\"a\":'b'}", "invalid character '\\'' looking for beginning of value"],
  ])("%j: %s", (text, sentence) => {
    expect(() => parseJsonText(text, strict)).toThrow(new JsonTextError(sentence));
  });

  test.each([
    ["{", "({)"],
    ["", "(<empty>)"],
    ["nul", "(6e756c)"],
    ["é", "(c3a9)"],
    [`{"kind":"ConfigMap","apiVersion":`, '({"kind":"ConfigMap","apiVersio ...)'],
    ["[".repeat(40), `(${"5b".repeat(30)} ...)`],
  ])("the refusal of %j shows %s", (text, shown) => {
    expect(refusal(text)).toMatch(
      /^400 BadRequest the object provided is unrecognized \(must be of type ConfigMap\): couldn't get version\/kind; json parse error: /,
    );
    expect(refusal(text).endsWith(shown)).toBe(true);
  });
});

describe("nesting", () => {
  const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);

  test("as deep as allowed is read, one deeper and endlessly deeper is refused", () => {
    expect(refusal(nested(maxJsonDepth))).toBe("accepted");
    expect(refusal(nested(maxJsonDepth + 1))).toContain("invalid character '[' exceeded max depth");
    expect(refusal(`{"a":1.5,"b":${nested(maxJsonDepth - 1)}}`)).toBe("accepted");
    expect(refusal("[".repeat(1_000_000))).toContain("exceeded max depth");
    expect(refusal('{"a":'.repeat(500_000))).toContain("invalid character '{' exceeded max depth");
  });
});
