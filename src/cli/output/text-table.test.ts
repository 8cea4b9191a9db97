// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { renderTable } from "./text-table.ts";

test("columns are aligned and lines have no space at their end", () => {
  const rows = [
    ["a", "long value", ""],
    ["élan", "", "z"],
  ];
  expect(renderTable(["ID", "NAME", "X"], rows)).toBe("ID    NAME        X\na     long value\nélan              z\n");
});

test("text of others cannot steer the terminal nor break the lines", () => {
  const rendered = renderTable(["A"], [["\u001b[31mred\u001b[0m\nsecond line\u009b2J\u202eright to left"]]);
  expect(rendered.split("\n")).toHaveLength(3);
  for (const unsafe of ["\u001b", "\u009b", "\u202e"]) expect(rendered).not.toContain(unsafe);
  expect(rendered).toContain("\\u001b[31mred");
});
