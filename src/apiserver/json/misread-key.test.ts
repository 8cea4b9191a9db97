// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { mayMisreadKey } from "./misread-key.ts";
import { parseJsonText } from "./parse-json.ts";

test("keys that differ in a quote and a backslash at their end stay apart, whichever was read before", () => {
  for (const stem of ["", "a"]) {
    const backslash = `{"${stem}\\\\":1}`;
    const quote = `{"${stem}\\"":1}`;
    for (const text of [backslash, quote, backslash, quote]) {
      const { value } = parseJsonText(text, { findDuplicates: false });
      expect(Object.keys(value as object)).toEqual([text === quote ? `${stem}"` : `${stem}\\`]);
    }
    expect([mayMisreadKey(backslash), mayMisreadKey(quote)]).toEqual([false, true]);
  }
});
