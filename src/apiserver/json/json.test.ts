// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import {
  copyJson,
  type DraftObject,
  deleteKey,
  ensureObject,
  getKey,
  isEqualJson,
  isList,
  isObject,
  type Json,
  setKey,
} from "./json.ts";
import { listAt, numberAt, objectAt, textAt, valueAt } from "./json-fields.ts";

const protoText = '{"__proto__":{"polluted":1},"constructor":2}';

describe("keys that users name", () => {
  test("__proto__ is a key like any other and changes no prototype", () => {
    const object: DraftObject = {};
    setKey(object, "__proto__", { polluted: 1 });
    setKey(object, "constructor", 2);
    expect(JSON.stringify(object)).toBe(protoText);
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
    expect(getKey(object, "__proto__")).toEqual({ polluted: 1 });
    deleteKey(object, "__proto__");
    expect(Object.keys(object)).toEqual(["constructor"]);
  });

  test("what Object.prototype has is not found", () => {
    for (const key of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
      expect(getKey({}, key)).toBeUndefined();
      expect(valueAt({}, key)).toBeUndefined();
    }
  });

  test("a copy holds them and shares nothing", () => {
    const original = JSON.parse(protoText) as DraftObject;
    const copy = copyJson(original);
    expect(JSON.stringify(copy)).toBe(protoText);
    expect(getKey(copy, "__proto__")).not.toBe(getKey(original, "__proto__"));
  });

  test("ensureObject makes what is missing and replaces what is no object", () => {
    const object: DraftObject = { list: [1] };
    ensureObject(object, "__proto__")["a"] = 1;
    expect(ensureObject(object, "__proto__")).toEqual({ a: 1 });
    expect(ensureObject(object, "list")).toEqual({});
  });
});

describe("paths", () => {
  const object: Json = { a: { text: "x", count: 0, list: [1], nothing: null } };

  test("give the value of the wanted type, else nothing", () => {
    expect(textAt(object, "a", "text")).toBe("x");
    expect(numberAt(object, "a", "count")).toBe(0);
    expect(listAt(object, "a", "list")).toEqual([1]);
    expect(objectAt(object, "a")).toBe(object["a"]);
    expect(textAt(object, "a", "count")).toBeUndefined();
    expect(numberAt(object, "a", "text")).toBeUndefined();
    expect(listAt(object, "a")).toBeUndefined();
    expect(objectAt(object, "a", "list")).toBeUndefined();
    expect(objectAt(object, "a", "nothing")).toBeUndefined();
    expect(valueAt(object, "a", "nothing")).toBeNull();
    expect(valueAt(object, "a", "text", "length")).toBeUndefined();
    expect(valueAt(object, "a", "list", "0")).toBeUndefined();
    expect(valueAt(object)).toBe(object);
  });

  test("lists and null are no objects", () => {
    expect([isObject([]), isObject(null), isObject({}), isList([]), isList({})]).toEqual([
      false,
      false,
      true,
      true,
      false,
    ]);
  });
});

describe("isEqualJson", () => {
  test.each<[Json | undefined, Json | undefined, boolean]>([
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [{ a: 1 }, { a: 1, b: 2 }, false],
    [{ a: null }, {}, false],
    [{ a: 1 }, { b: 1 }, false],
    [[1, 2], [2, 1], false],
    [[], {}, false],
    [[1], [1, 2], false],
    [5n, 5, true],
    [5, 5n, true],
    [2n ** 60n, 2 ** 60, true],
    [2n ** 60n + 1n, 2 ** 60, false],
    [5n, "5", false],
    [1n, true, false],
    [0, -0, true],
    [undefined, undefined, true],
    [undefined, null, false],
    [JSON.parse(protoText), {}, false],
    [JSON.parse('{"__proto__":1}'), { constructor: 1 }, false],
  ])("%o and %o: %s", (a, b, isEqual) => {
    expect(isEqualJson(a, b)).toBe(isEqual);
  });
});
