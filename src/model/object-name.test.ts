// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { isNamespace, isObjectName } from "./object-name.ts";

test.each(["", ".", "..", "a/b", "a%2fb", "a\ud800", "x".repeat(1025), "é".repeat(513)])(
  "[CO9][CO26] %j is not a name",
  (name) => {
    expect(isObjectName(name)).toBe(false);
  },
);

test.each(["web", "x".repeat(1024), "system:controller:a b", "...", "ünï\u{1f600}"])("[CO9] %j is a name", (name) => {
  expect(isObjectName(name)).toBe(true);
});

test("[CO9] a namespace is empty or a DNS label", () => {
  expect(["", "default"].map(isNamespace)).toEqual([true, true]);
  expect(["Default", "a.b", "a/b", "-a"].map(isNamespace)).toEqual([false, false, false, false]);
});
