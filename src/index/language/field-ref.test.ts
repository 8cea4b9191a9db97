// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import {
  type ColumnCatalog,
  fieldRefText,
  parseCountedFields,
  parseFieldRef,
  parseSort,
  printSort,
} from "./field-ref.ts";

const catalog: ColumnCatalog = {
  columnTypes: (name) => new Set(name === "restarts" ? (["integer"] as const) : []),
  columnNames: ["restarts"],
};

describe("fields", () => {
  test.each([
    ["ns", "namespace"],
    ["Cluster", "cluster"],
    ["label.App/x", "label.App/x"],
    ["fields.restarts", "field.restarts"],
    ["annotations.a.b", "annotation.a.b"],
  ])("[QL5] %s is %s", (written, canonical) => {
    const ref = parseFieldRef(written, catalog);
    expect(fieldRefText(ref)).toBe(canonical);
    expect(parseFieldRef(canonical, catalog)).toEqual(ref);
  });

  test.each([
    ["", ""],
    ["-age,name", "-age,name"],
    [" ns , -label.app ", "namespace,-label.app"],
  ])("[QL9] the order %j is %j", (written, canonical) => {
    const sort = parseSort(written, catalog);
    expect(printSort(sort)).toBe(canonical);
    expect(parseSort(canonical, catalog)).toEqual(sort);
  });

  test.each([
    ["statsu", 'sort, column 1: there is no field "statsu"; did you mean status? Fields are'],
    ["name,-statsu", 'sort, column 7: there is no field "statsu"; did you mean status?'],
    ["name, field.restart", 'sort, column 7: no kind has a field "restart"; did you mean field.restarts?'],
    ["name,,age", 'sort, column 6: there is no field ""'],
    ["name,at", 'sort, column 6: there is no field "at"'],
    ["name,-name", "sort, column 6: name is given twice"],
    ["a".repeat(3_000), "sort, column 2049: the list is longer than 2048 characters"],
    ["name,kind,status,age,ns", "sort, column 22: at most 4 fields are allowed"],
  ])("[Q-13] the order %.40s is refused", (written, message) => {
    expect(() => parseSort(written, catalog)).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENT", message: expect.stringContaining(message) }),
    );
  });

  test("[QL11] [QL12] rows are counted by fields that many of them share", () => {
    expect(parseCountedFields("cluster,label.app", "facets", catalog).map(fieldRefText)).toEqual([
      "cluster",
      "label.app",
    ]);
    const refused = (text: string, what: "facets" | "groups") => () => parseCountedFields(text, what, catalog);
    expect(refused("kind,age", "facets")).toThrow(
      "facets, column 6: age differs from row to row; count by another field",
    );
    expect(refused("kind,kind", "groups")).toThrow("groups, column 6: kind is given twice");
    expect(refused("kind,ns,cluster,name", "groups")).toThrow("groups, column 17: at most 3 fields are allowed");
  });
});
