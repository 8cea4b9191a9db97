// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { checkUniqueNames } from "./unique-names.ts";

test.each([
  [
    "a type that two files export",
    "src/a/one.ts",
    "export interface Row {",
    "src/b/two.ts",
    "export class Row {",
    ["unique-type"],
  ],
  ["two files of one name", "src/a/one.ts", "", "ui/src/one.ts", "", ["unique-file"]],
  ["a type of its own file alone", "src/a/one.ts", "interface Row {", "src/b/two.ts", "export type Row = 1;", []],
  ["overloads of one file", "src/a/one.ts", "export type Row = 1;\nexport interface Row {}", "src/b/two.ts", "", []],
])("%s", (_, onePath, oneText, otherPath, otherText, expected) => {
  const files = [
    { path: onePath, text: oneText },
    { path: otherPath, text: otherText },
  ];
  expect(checkUniqueNames(files).map(({ rule }) => rule)).toEqual(expected);
});
