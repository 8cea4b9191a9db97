// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { renderConfigReference } from "./config-reference.ts";
import { optionTable } from "./option-table.ts";

const page = readFileSync(new URL("../../../docs/reference/config.md", import.meta.url), "utf8");

test("[U-74] docs/reference/config.md is what the table gives (if not: npm run generate)", () => {
  expect(page).toBe(renderConfigReference());
});

test("every option has its own heading there", () => {
  const headings = [...page.matchAll(/^### (.+)$/gm)].map(([, name]) => name);
  expect(new Set(headings)).toEqual(new Set(optionTable.map(({ name }) => name)));
  expect(headings).toHaveLength(optionTable.length);
});
