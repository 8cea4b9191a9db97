// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { type ContinueToken, decodeContinue, encodeContinue } from "./continue-token.ts";

const encodeText = (text: string): string =>
  new TextEncoder().encode(text).toBase64({ alphabet: "base64url", omitPadding: true });

test.each<[string, ContinueToken, boolean]>([
  ["in a namespace", { revision: 5, namespace: "n", name: "a", remainingCount: 3 }, true],
  ["cluster-wide, with a slash in its name", { revision: 5, namespace: "", name: "a/b", remainingCount: 0 }, false],
  ["of whatever is newest", { revision: -1, namespace: "n", name: "a", remainingCount: 1 }, true],
  ["with a count unknown", { revision: 2 ** 40, namespace: "n", name: "a:b.c", remainingCount: undefined }, true],
])("a token comes back as it went out: %s", (_, token, isNamespaced) => {
  expect(decodeContinue(encodeContinue(token), isNamespaced)).toEqual(token);
});

test.each([
  ["not base64", "%%%"],
  ["not JSON", encodeText("{")],
  ["not UTF-8", "_____w"],
  ["null", encodeText("null")],
  ["a number", encodeText("7")],
  ["of another version", encodeText('{"v":"meta.k8s.io/v2","rv":1,"start":"a"}')],
  ["without a revision", encodeText('{"v":"meta.k8s.io/v1","start":"a"}')],
  ["of revision 0", encodeText('{"v":"meta.k8s.io/v1","rv":0,"start":"a"}')],
  ["of a key that leaves its place", encodeText('{"v":"meta.k8s.io/v1","rv":1,"start":"../x"}')],
  ["of a revision that is no integer", encodeText('{"v":"meta.k8s.io/v1","rv":1.5,"start":"a"}')],
  ["without a start", encodeText('{"v":"meta.k8s.io/v1","rv":1,"start":""}')],
  ["too long", "a".repeat(5000)],
])("a token that is %s is refused", (_, text) => {
  expect(() => decodeContinue(text, true)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }) as Error);
});
