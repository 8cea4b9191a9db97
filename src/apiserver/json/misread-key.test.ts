// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { mayMisreadKey } from "./misread-key.ts";
import { parseJsonText } from "./parse-json.ts";

/**
 * Misreading takes an object whose only known next key is the other one: so each stands behind a key that no other text
 * has.
 */
function textWith(stem: string, key: string): string {
  return `{"before ${stem}":0,"${stem}${key}:1}`;
}

test("keys that differ in a quote and a backslash at their end stay apart, whichever was read before", () => {
  for (const [at, quote] of ['\\""', '\\"" ', '\\""\n\t', '\\u0022"'].entries()) {
    for (const stem of [`${at}`, `a${at}`]) {
      const backslash = textWith(stem, '\\\\"');
      const quoted = textWith(stem, quote);
      for (const text of [backslash, quoted, backslash, quoted]) {
        const { value } = parseJsonText(text, { findDuplicates: false });
        expect(Object.keys(value as object)[1]).toBe(text === quoted ? `${stem}"` : `${stem}\\`);
      }
      expect([mayMisreadKey(backslash), mayMisreadKey(quoted)]).toEqual([false, true]);
    }
  }
});
