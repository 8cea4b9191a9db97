// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { reasonClasses, reasonOfFault, reasonSentences, sentenceOf, toDetail } from "./reason.ts";

describe("reasons", () => {
  test("[HE7] every class has one sentence of its own", () => {
    const sentences = reasonClasses.map((reason) => reasonSentences[reason]);
    expect(sentences).toHaveLength(18);
    expect(new Set(sentences).size).toBe(18);
    for (const sentence of sentences) expect(sentence).toMatch(/^[A-Z].*[^.]\.$/);
  });

  test("what the other side said stands in the sentence", () => {
    expect(sentenceOf("dns", "no such host")).toMatch(/ \(no such host\)\.$/);
    expect(sentenceOf("dns", "")).toBe(reasonSentences.dns);
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
