// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { parseLabels, printLabels, toLabelChange } from "./label-text.ts";

test("labels go to text and back", () => {
  const labels = { team: "blue", "a/b": "x=y", empty: "" };
  expect(printLabels(labels)).toBe("a/b=x=y\nempty=\nteam=blue");
  expect(Object.fromEntries(parseLabels(printLabels(labels)))).toEqual(labels);
});

test("only what changed is asked for", () => {
  const change = toLabelChange({ a: "1", b: "2", c: "3" }, parseLabels(" a = 1 \n\nb=9\nd=4"));
  expect(change).toEqual({ setLabels: { b: "9", d: "4" }, removeLabels: ["c"] });
});

test("a line that is no label is named", () => {
  expect(() => parseLabels("a=1\nnonsense")).toThrow('"nonsense" is not a label; write it as name=value');
});
