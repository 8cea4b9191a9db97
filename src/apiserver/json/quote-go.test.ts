// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { quoteGo } from "./quote-go.ts";

test.each([
  ["a b", '"a b"'],
  ['q"\\', '"q\\"\\\\"'],
  ["\n\t\u0007\u0001\u007f", '"\\n\\t\\a\\x01\\x7f"'],
  ["é世😀", '"é世😀"'],
  ["\u00a0\u2028\u00ad", '"\\u00a0\\u2028\\u00ad"'],
  ["\u{e0001}", '"\\U000e0001"'],
  ["\ud800", '"\ufffd"'],
])("%j is quoted as %s", (text, quoted) => {
  expect(quoteGo(text)).toBe(quoted);
});
