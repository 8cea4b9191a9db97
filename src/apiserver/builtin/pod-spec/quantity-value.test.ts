// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { compareQuantities, formatNanos, isWholeQuantity, quantityNanos, roundUpToMilli } from "./quantity-value.ts";

test.for<[string, bigint | undefined]>([
  ["1", 10n ** 9n],
  ["100m", 10n ** 8n],
  ["1Ki", 1024n * 10n ** 9n],
  ["1.5Gi", 3n * 2n ** 29n * 10n ** 9n],
  ["2E", 2n * 10n ** 27n],
  ["1e3", 10n ** 12n],
  ["1E-3", 10n ** 6n],
  ["-5", -5n * 10n ** 9n],
  [".5", 5n * 10n ** 8n],
  ["", undefined],
  ["1x", undefined],
])("%s is %s nanos", ([text, nanos]) => {
  expect(quantityNanos(text)).toBe(nanos);
});

test.for<[string, string]>([
  ["100u", "1m"],
  ["1500u", "2m"],
  ["100m", "100m"],
  ["1Gi", "1Gi"],
  ["1.0001", "1001m"],
])("%s is rounded up to %s", ([text, rounded]) => {
  expect(roundUpToMilli(text)).toBe(rounded);
});

test("amounts are compared by value, not by form", () => {
  expect([compareQuantities("1", "1000m"), compareQuantities("1Gi", "1G"), compareQuantities("0.1", "1")]).toEqual([
    0, 1, -1,
  ]);
  expect([isWholeQuantity("1"), isWholeQuantity("1500m")]).toEqual([true, false]);
});

test("a formatted amount reads as the same amount", () => {
  fc.assert(fc.property(fc.bigInt(0n, 2n ** 63n * 10n ** 9n), (nanos) => quantityNanos(formatNanos(nanos)) === nanos));
});
