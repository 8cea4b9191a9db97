// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { parseBody } from "./answer.ts";
import { readPath } from "./body-path.ts";
import type { Step } from "./scenario.ts";
import { selectBody } from "./select-body.ts";
import { substituteDeep } from "./substitute.ts";

const step: Step = { name: "s", method: "GET", path: "/" };
const body = { kind: "L", list: [{ m: { n: "b" }, v: 2 }, { m: { n: "a" }, v: 1 }, { m: { n: "c" } }] };

function selected(more: Partial<Step>, status = 200): unknown {
  return selectBody({ ...step, ...more }, { status, headers: {}, body }).body;
}

test("only the wanted elements of a list stay, in their order", () => {
  expect(selected({ only: { list: "list", key: "m.n", values: ["a", "b"] } })).toEqual({
    ...body,
    list: body.list.slice(0, 2),
  });
});

test("an unordered list is sorted, and picked places stand by their path", () => {
  expect(selected({ unordered: ["list"], pick: ["list.0.m.n", "kind", "none"] })).toEqual({
    "list.0.m.n": "a",
    kind: "L",
    none: undefined,
  });
});

test("a refusal stays whole", () => {
  expect(selected({ pick: ["kind"] }, 404)).toEqual(body);
});

test("a path reads keys with dots and never what objects inherit", () => {
  expect(readPath({ "a.b": [{ c: 1 }] }, "a~b.0.c")).toBe(1);
  expect(readPath({}, "constructor.name")).toBeUndefined();
});

test("values are put into every text of a step, and a name without a value is an error", () => {
  const variables = new Map([["ns", "x"]]);
  expect(substituteDeep({ path: "/${ns}", body: [{ "${ns}/k": 1 }] }, variables)).toEqual({
    path: "/x",
    body: [{ "x/k": 1 }],
  });
  expect(() => substituteDeep("${nope}", variables)).toThrow("no value for ${nope}");
});

test("bodies are parsed by their type, and no digit of an integer is lost", () => {
  expect(parseBody(Buffer.from('{"n":9007199254740993,"m":5}'), "application/json")).toEqual({
    n: "int 9007199254740993",
    m: 5,
  });
  expect(parseBody(Buffer.from("a: 1\n"), "application/yaml")).toEqual({ a: 1 });
  expect(parseBody(Buffer.from("ok"), "text/plain")).toBe("ok");
  expect(parseBody(Buffer.from("{"), "application/json")).toBe("{");
  expect(parseBody(Buffer.from(""), "application/json")).toBeUndefined();
});
