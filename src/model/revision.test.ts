// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { cursorText, maxRevision, parseCursor, parseRevision, toRevision } from "./revision.ts";

test.each([0n, 1n, 2n ** 53n + 1n, maxRevision])("[CO47] %s reads back as written", (value) => {
  expect(parseRevision(String(value))).toBe(value);
  expect(toRevision(value)).toBe(value);
});

test.each(["", "-1", "007", "1.5", "1e3", "0x10", " 1", "9223372036854775808", "9".repeat(50_000)])(
  "[CO47] the text %j is no revision",
  (text) => {
    expect(() => parseRevision(text)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
  },
);

test.each([-1, 1.5, Number.NaN, 2 ** 53, -1n, maxRevision + 1n])("[CO47] the number %s is no revision", (value) => {
  expect(() => toRevision(value)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
});

test("[CO48] a cursor reads back as written", () => {
  const cursor = parseCursor("st_0Ab-9.42");
  expect(cursor).toEqual({ storeId: "st_0Ab-9", revision: 42n });
  expect(cursorText(cursor)).toBe("st_0Ab-9.42");
});

test.each([
  ["42", 'has no "."'],
  [".42", "store id"],
  ["a.b.42", "revision"],
  ["a.", "revision"],
  ["a b.1", "store id"],
  [`${"a".repeat(65)}.1`, "store id"],
])("[CO48] %j is refused, saying which part is wrong", (text, reason) => {
  expect(() => parseCursor(text)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
  expect(() => parseCursor(text)).toThrow(reason);
});
