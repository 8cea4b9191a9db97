// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { JsonObject } from "../json/json.ts";
import { type CachedObject, ParsedObjects } from "./cached-object.ts";
import { encodeBody } from "./stored-body.ts";

function add(parsed: ParsedObjects, name: string, labels: JsonObject = {}): CachedObject {
  return parsed.add("n", name, 5, encodeBody({ metadata: { name, labels } }));
}

test("labels are there without parsing again, values that are no text are left out", () => {
  const parsed = new ParsedObjects(4);
  const labels = JSON.parse('{"app":"web","__proto__":"x","odd":1,"none":null}') as JsonObject;
  expect([...add(parsed, "a", labels).labels]).toEqual([
    ["app", "web"],
    ["__proto__", "x"],
  ]);
  expect(parsed.add("n", "b", 1, encodeBody({ metadata: { name: "b" } })).labels.size).toBe(0);
});

test("the parsed form has the resourceVersion and is shared while it is kept", () => {
  const parsed = new ParsedObjects(4);
  const cached = add(parsed, "a");
  const object = parsed.get(cached);
  expect(object).toEqual({ metadata: { name: "a", labels: {}, resourceVersion: "5" } });
  expect(parsed.get(cached)).toBe(object);
});

test("only so many parsed forms are kept; the one not looked at for longest leaves first", () => {
  const parsed = new ParsedObjects(2);
  const [a, b] = [add(parsed, "a"), add(parsed, "b")];
  const [parsedA, parsedB] = [parsed.get(a), parsed.get(b)];
  parsed.get(a);
  add(parsed, "c");
  expect(parsed.get(a)).toBe(parsedA);
  expect(parsed.get(b)).not.toBe(parsedB);
  expect(parsed.get(b)).toEqual(parsedB);
});
