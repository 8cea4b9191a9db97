// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { customPrinter } from "./custom-columns.ts";
import { printerFor } from "./printers.ts";
import { parseRecordedTables } from "./testing/recorded-tables.ts";

const recorded = parseRecordedTables(readFileSync(new URL("testing/recorded-tables.jsonl", import.meta.url), "utf8"));

describe("tables that a real kube-apiserver made", () => {
  for (const { group, version, kind, custom, nowMs, columns, rows } of recorded) {
    test(`${kind} of ${group}/${version}: our columns and cells are the same`, () => {
      const printer = custom === null ? printerFor(group, version, kind) : customPrinter(custom);
      const ours = printer.columns.map(({ name, type, format, priority }) => [name, type, format, priority]);
      expect(ours).toEqual(columns);
      for (const { object, ...row } of rows) expect(printer.row(object, nowMs)).toEqual(row);
    });
  }

  test("the record has many kinds and rows", () => {
    expect(recorded.length).toBeGreaterThan(45);
    expect(recorded.flatMap(({ rows }) => rows).length).toBeGreaterThan(180);
  });
});

test("rows of bookmarks, which have no content, are printed", () => {
  const printed = recorded.map(({ group, version, kind }) => printerFor(group, version, kind).row({}, 0).cells);
  expect(printed.length).toBe(recorded.length);
  expect(printerFor("", "v1", "Pod").row({}, 0).cells).toEqual([
    "",
    "0/0",
    "",
    "0",
    "<unknown>",
    "<none>",
    "<none>",
    "<none>",
    "<none>",
  ]);
});

test("a kind without a printer has name and creation time", () => {
  const printer = printerFor("example.com", "v1", "Other");
  const object = { metadata: { name: "x", creationTimestamp: "2026-01-02T03:04:05Z" } };
  expect(printer.columns.map(({ name, type }) => [name, type])).toEqual([
    ["Name", "string"],
    ["Created At", "date"],
  ]);
  expect(printer.row(object, 0).cells).toEqual(["x", "2026-01-02T03:04:05Z"]);
});

test.each(["__proto__", "constructor"])("labels named %s are labels like any other", (key) => {
  const labels = JSON.parse(`{${JSON.stringify(key)}:"v"}`) as { readonly [key: string]: string };
  const service = { metadata: { name: "s" }, spec: { selector: labels } };
  expect(printerFor("", "v1", "Service").row(service, 0).cells.at(-1)).toBe(`${key}=v`);
});
