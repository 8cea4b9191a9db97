// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { compareUtf8, cutText, quote } from "./text.ts";

test("[CO10] a code point above U+FFFF comes after U+FFFD, though its first UTF-16 unit is smaller", () => {
  expect(compareUtf8("\u{1f600}", "\ufffd")).toBeGreaterThan(0);
  expect(["\ufffd", "\u{1f600}"].sort()).toEqual(["\u{1f600}", "\ufffd"]);
});

test("[CO10] a text comes after its own beginning", () => {
  expect(compareUtf8("web", "web-1")).toBeLessThan(0);
  expect(compareUtf8("", "a")).toBeLessThan(0);
});

test("[CO13] a text of exactly the bound is kept and one byte more is cut", () => {
  expect(cutText("x".repeat(10), 10)).toBe("x".repeat(10));
  expect(cutText("x".repeat(11), 10)).toBe(`${"x".repeat(7)}…`);
});

test("[CO13] a cut never leaves half of a surrogate pair", () => {
  const cut = cutText("\u{1f600}\u{1f600}\u{1f600}", 10);
  expect(cut).toBe("\u{1f600}…");
  expect(cut.isWellFormed()).toBe(true);
});

test("[CO59] a refused value is shown escaped and at most 64 characters long", () => {
  expect(quote("a\nb\u0000")).toBe('"a\\nb\\u0000"');
  expect(quote("y".repeat(100_000))).toBe(`"${"y".repeat(64)}…"`);
});
