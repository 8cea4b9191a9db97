// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { Json, JsonObject } from "../json/json.ts";
import { customPrinter } from "./custom-columns.ts";

const nowMs = Date.parse("2026-03-01T12:00:00Z");

function cellOf(type: string, value: Json): Json | undefined {
  const printer = customPrinter([{ name: "C", type, jsonPath: ".spec.c" }]);
  return printer.row({ metadata: { name: "x" }, spec: { c: value } }, nowMs).cells[1];
}

test("a definition without columns shows name and age", () => {
  const printer = customPrinter([]);
  expect(printer.columns.map(({ name, type, format }) => [name, type, format])).toEqual([
    ["Name", "string", "name"],
    ["Age", "date", ""],
  ]);
  const object = { metadata: { name: "x", creationTimestamp: "2026-03-01T11:00:00Z" } };
  expect(printer.row(object, nowMs).cells).toEqual(["x", "60m"]);
});

test("columns come after the name; the age is only there where it is asked for", () => {
  const columns: readonly JsonObject[] = [
    { name: "Size", type: "integer", format: "int32", priority: 1, description: "How big.", jsonPath: ".spec.size" },
    { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  ];
  const printer = customPrinter(columns);
  expect(printer.columns.slice(1)).toEqual([
    { name: "Size", type: "integer", format: "int32", priority: 1, description: "How big." },
    {
      name: "Ready",
      type: "string",
      format: "",
      priority: 0,
      description:
        'Custom resource definition column (in JSONPath format): .status.conditions[?(@.type=="Ready")].status',
    },
  ]);
  expect(printer.row({ metadata: { name: "x" }, spec: { size: 4 } }, nowMs).cells).toEqual(["x", 4, null]);
});

test("a column that cannot be read ends the table", () => {
  const column = (name: string, jsonPath: string): JsonObject => ({ name, type: "string", jsonPath });
  const printer = customPrinter([column("A", ".a"), column("B", ".b[x]"), column("C", ".c")]);
  expect(printer.columns.map(({ name }) => name)).toEqual(["Name", "A"]);
  expect(printer.row({ a: "1", b: "2", c: "3" }, nowMs).cells).toEqual(["", "1"]);
});

test.each<[string, Json, Json]>([
  ["string", "text", "text"],
  ["string", 12, "12"],
  ["string", 9_007_199_254_740_993n, "9007199254740993"],
  ["string", 0.25, "0.25"],
  ["string", 1_234_567.5, "1.2345675e+06"],
  ["string", -2.5e-7, "-2.5e-07"],
  ["string", true, "true"],
  ["string", null, "<no value>"],
  ["string", ["a", 1], '["a",1]'],
  ["string", { z: "<&>", a: 1 }, '{"a":1,"z":"\\u003c\\u0026\\u003e"}'],
  ["integer", 3, 3],
  ["integer", 1.9, 1],
  ["integer", "3", null],
  ["integer", null, null],
  ["number", 1.5, 1.5],
  ["boolean", false, false],
  ["boolean", "false", null],
  ["date", "2026-03-01T11:59:00Z", "60s"],
  ["date", "soon", "<invalid>"],
  ["date", "", "<unknown>"],
  ["date", 5, null],
])("a %s column shows each value as the real server does (%#)", (type, value, expected) => {
  expect(cellOf(type, value)).toEqual(expected);
});
