// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { errorCodes } from "../../base/error-codes.ts";
import { renderErrorReference } from "./error-reference.ts";

const page = readFileSync(new URL("../../../docs/reference/errors.md", import.meta.url), "utf8");

test("docs/reference/errors.md is what the table of codes gives (if not: npm run generate)", () => {
  expect(page).toBe(renderErrorReference());
});

test("every code has one row of seven cells", () => {
  const rows = page.split("\n").filter((line) => line.startsWith("| `"));
  expect(rows.map((row) => row.split("`")[1])).toEqual(Object.keys(errorCodes));
  for (const row of rows) expect(row.split(" | ")).toHaveLength(7);
});

test("exit codes are those that the page explains", () => {
  for (const { exit } of Object.values(errorCodes)) {
    expect(exit).toBeGreaterThanOrEqual(1);
    expect(exit).toBeLessThanOrEqual(8);
  }
});
