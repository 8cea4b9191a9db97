// SPDX-License-Identifier: Apache-2.0
// Expected values and sentences are those of client-go's jsonpath, which the real server uses.
import { describe, expect, test } from "vitest";
import type { Json } from "../json/json.ts";
import { evaluateJsonPath, parseJsonPath } from "./json-path.ts";

const object = {
  kind: "Widget",
  metadata: { name: "x", labels: { "a.b/c": "d" } },
  spec: {
    replicas: 3,
    empty: "",
    nothing: null,
    list: [1, 2, 3, 4],
    map: { z: 1, a: "b" },
    conditions: [
      { type: "Ready", status: "True", weight: 1, list: [1] },
      { type: "Other", status: "False", weight: 2.5 },
      { type: "it's", weight: 3, nothing: null },
      { status: "none" },
    ],
  },
};
const [ready, other, quoted, none] = object.spec.conditions;

function find(path: string, from: Json = object): readonly Json[] {
  const parsed = parseJsonPath(path);
  if (typeof parsed === "string") throw new Error(parsed);
  return evaluateJsonPath(parsed, from);
}

describe("a path finds", () => {
  test.each<[string, readonly unknown[]]>([
    [".spec.replicas", [3]],
    ["$.spec.replicas", [3]],
    [".", []],
    ["", [object]],
    [".spec.absent.deeper", []],
    [".spec.empty", [""]],
    [".spec.nothing", [null]],
    [".spec.nothing.deeper", []],
    [".spec.list", [[1, 2, 3, 4]]],
    [".spec.list.x", []],
    [".spec.list[0]", [1]],
    [".spec.list[-1]", [4]],
    [".spec.list[-2:]", [3, 4]],
    [".spec.list[1:3]", [2, 3]],
    [".spec.list[::2]", [1, 3]],
    [".spec.list[*]", [1, 2, 3, 4]],
    [".spec.list[0,2]", [1, 3]],
    [".spec.list[0:0]", []],
    [".spec.list[4]", []],
    [".spec.list[3:1]", []],
    [".spec.list[::0]", []],
    [".spec.replicas[0]", []],
    ["['spec']['replicas']", [3]],
    [".spec['replicas','empty']", [3, ""]],
    [".metadata.labels.a\\.b/c", ["d"]],
    [".metadata.labels['a\\.b/c']", ["d"]],
    [".spec.map.*", [1, "b"]],
    ["..type", ["Ready", "Other", "it's"]],
    [".spec.conditions[*].status", ["True", "False", "none"]],
    ['.spec.conditions[?(@.type=="Ready")].status', ["True"]],
    [".spec.conditions[?(@.type=='Ready')].status", ["True"]],
    ['.spec.conditions[?(@.type=="it\'s")]', [quoted]],
    ['.spec.conditions[?(@.status!="True")]', [other, none]],
    [".spec.conditions[?(@.status)]", [ready, other, none]],
    // An index that is out of bounds leaves what it was asked of, and that exists.
    [".spec.conditions[?(@.list[5])]", [ready]],
    [".spec.conditions[?(@.weight==1)]", []],
    [".spec.list[?(@>2)]", [3, 4]],
    [".spec.list[?(@<=2)]", [1, 2]],
    [".spec.list[?(@>=2.5)]", []],
    ['.spec.conditions[?(@.type<"P")].type', ["Other"]],
    [".spec.map[?(@.a)]", []],
    ['.spec.absent "text"', ["text"]],
    [".spec.word other", []],
    [".spec.replicas}{.kind", [3]],
  ])("%s", (path, expected) => {
    expect(find(path)).toEqual(expected);
  });

  test("keys that objects inherit only where the object has them itself", () => {
    expect(find(".constructor")).toEqual([]);
    expect(find(".__proto__")).toEqual([]);
    expect(find(".__proto__", JSON.parse('{"__proto__":1}') as Json)).toEqual([1]);
  });

  test("whole numbers of any size", () => {
    expect(find(".items[?(@.n>5)].n", { items: [{ n: 9_007_199_254_740_993n }, { n: 4 }] })).toEqual([
      9_007_199_254_740_993n,
    ]);
  });
});

describe("an invalid path has a reason", () => {
  test.each([
    [".spec[x]", "invalid array index x"],
    [".spec[0", "unterminated array"],
    [".list[0][1", "unterminated array"],
    [".spec #", "unrecognized character in action: U+0023 '#'"],
    [".a[?(@.b]", "unterminated filter"],
    [".a[?(@.b)", "unclosed array expect ]"],
    [".a....b", "invalid multiple recursive descent"],
    ['.a "b', "unterminated quoted string"],
    [".a\nb", "unclosed action"],
    [".a[99999999999999999999]", "array index 99999999999999999999 is not a number"],
    [".a 1.2.3", "cannot parse number 1.2.3"],
  ])("%j", (path, sentence) => {
    expect(parseJsonPath(path)).toBe(sentence);
  });
});

test("a path that finds more and more is cut off", () => {
  let deep: Json = { a: 1 };
  for (let depth = 0; depth < 300; depth += 1) deep = { a: deep, b: [deep].slice(0, depth % 2) };
  expect(find("..a..a..a..a..a..a..a..a", deep)).toEqual([]);
});
