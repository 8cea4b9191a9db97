// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { booleanOf, fieldOf, integerOf, keysOf, listOf, textMapOf, textOf, textsOf, timeOf } from "./fields.ts";

describe("reading an object of unknown shape", () => {
  const hostile = JSON.parse('{"__proto__":{"a":"x"},"constructor":"c","list":[1,"a",null],"n":1.5}') as unknown;

  test("[KI3] only what the object itself holds is there", () => {
    expect([fieldOf({}, "toString"), fieldOf({}, "__proto__"), fieldOf([], "length")]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect([textOf(hostile, "__proto__", "a"), textOf(hostile, "constructor")]).toEqual(["x", "c"]);
    expect(keysOf(hostile)).toEqual(["__proto__", "constructor", "list", "n"]);
    expect([...textMapOf(hostile)]).toEqual([["constructor", "c"]]);
  });

  test("[KI3] a value of another type is absent", () => {
    expect([integerOf(hostile, "n"), booleanOf(hostile, "n"), textOf(hostile, "n"), listOf(hostile, "n")]).toEqual([
      undefined,
      undefined,
      undefined,
      [],
    ]);
    expect(integerOf({ n: 2 ** 53 }, "n")).toBeUndefined();
    expect(textsOf(hostile, "list")).toEqual(["a"]);
    expect(fieldOf(null, "a", "b")).toBeUndefined();
  });

  test("[KI4] only RFC 3339 is a time", () => {
    const read = (time: unknown): number => timeOf({ time }, "time");
    expect([read("1970-01-01T00:00:01Z"), read("1970-01-01T01:00:01.250+01:00")]).toEqual([1_000, 1_250]);
    expect(["1970", "Thu, 01 Jan 1970 00:00:01 GMT", "1970-01-01T00:00:01", 1_000, undefined].map(read)).toEqual([
      0, 0, 0, 0, 0,
    ]);
  });
});
