// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { canonicalBase64, GoBase64Error, toBase64 } from "./go-bytes.ts";

test.each([
  ["", ""],
  ["YQ==", "YQ=="],
  ["YR==", "YQ=="],
  ["YWI=", "YWI="],
  ["YWJj", "YWJj"],
  ["YW\nJj\r\n", "YWJj"],
  ["YQ\n==", "YQ=="],
])("%j is printed as %s", (text, canonical) => {
  expect(canonicalBase64(text)).toBe(canonical);
});

// Offsets of Go's encoding/base64, as kube-apiserver 1.36.3 reports them.
test.each([
  ["Y!==", 1],
  ["YQ=", 3],
  ["YQ", 0],
  ["YQ==x", 4],
  ["=", 0],
  ["YWJjZ", 4],
  ["é", 0],
  ["-_==", 0],
])("%j is refused at byte %i", (text, at) => {
  expect(() => canonicalBase64(text)).toThrow(new GoBase64Error(at));
});

test("numbers are bytes", () => {
  expect(toBase64([97, 0, 255])).toBe("YQD/");
});
