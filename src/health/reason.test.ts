// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { reasonOfFault, reasonSentences, sentenceOf, toDetail } from "./reason.ts";

describe("reasons", () => {
  test("[HE7] every class has one sentence of its own", () => {
    const sentences = Object.values(reasonSentences);
    expect(sentences).toHaveLength(19);
    expect(new Set(sentences).size).toBe(19);
    for (const sentence of sentences) expect(sentence).toMatch(/^[A-Z].*[^.]\.$/);
  });

  test("what the other side said stands in the sentence", () => {
    expect(sentenceOf("dns", "no such host")).toMatch(/ \(no such host\)\.$/);
    expect(sentenceOf("dns", "")).toBe(reasonSentences.dns);
  });

  test("what is said from right to left is kept from the parenthesis after it, whatever marks it brings", () => {
    const [open, close] = ["\u2068", "\u2069"];
    const said = "answered 500: \u062a\u0639\u0630\u0631 (\u0627\u0644\u0631\u062f";
    expect(sentenceOf("dns", toDetail(said)).endsWith(` (${open}${said}${close}).`)).toBe(true);
    const marks = ["\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", open, close];
    for (const mark of marks) expect(toDetail(`\u05d0${mark}\u05d1`)).toBe("\u05d0 \u05d1");
  });

  test.each(["", "none", "__proto__", "toString", "newer"])(
    "the fault %j of another release is a server error",
    (fault) => {
      expect(reasonOfFault(fault)).toBe("serverError");
    },
  );

  test("text from a cluster is one bounded line", () => {
    expect(toDetail("a\u0000b\r\nc\u2028d")).toBe("a b c d");
    expect(toDetail("x".repeat(10_000))).toHaveLength(240);
    expect(toDetail(`${"x".repeat(238)}\u{1f600}${"y".repeat(9)}`).isWellFormed()).toBe(true);
  });
});
