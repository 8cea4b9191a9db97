// SPDX-License-Identifier: Apache-2.0
import { BlockList } from "node:net";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseAddress, parseAddressRange } from "./ip-range.ts";
import { parseQuantity } from "./quantity-amount.ts";
import { createTypedTest } from "./typed-test.ts";
import { compareTypedTexts, typeText } from "./typed-text.ts";

describe("typed text", () => {
  test.each([
    ["0", 0],
    ["1Gi", 2 ** 30],
    ["1024Mi", 2 ** 30],
    ["500m", 0.5],
    ["1.5k", 1_500],
    ["1e3", 1_000],
    ["-2", -2],
    [".5", 0.5],
    ["12E", 12e18],
    ["1Q", undefined],
    ["1 Gi", undefined],
    ["Gi", undefined],
    ["", undefined],
    ["1e400", undefined],
    ["0x10", undefined],
  ])("[QL5] the amount of %j is %j", (text, amount) => {
    expect(parseQuantity(text)).toBe(amount);
  });

  test.each([
    ["capacity", ["500m", "2", "1023Mi", "1Gi", "v1.2.0", "10.0.0.9", "10.0.0.10", "fd00::1", "a", "b"]],
    ["kubeletVersion", ["1.9", "v1.31.0-rc.1", "v1.31.0-rc.2", "v1.31.0-rc.11", "v1.31", "v1.31.2+k3s1", "v2.0.0"]],
    // A year is a number, a date is a text.
    ["released", ["1999", "2026", "2026-01-31"]],
  ])("[QL9] texts of %s are ordered by what they mean", (column, ordered) => {
    const sorted = ordered.toReversed().sort((a, b) => compareTypedTexts(typeText(a, column), typeText(b, column)));
    expect(sorted).toEqual(ordered);
  });

  test("[QL9] the order of any texts is total", () => {
    const text = fc.constantFrom(
      "1",
      "1Gi",
      "1.2",
      "v1.2.0",
      "1.2.0-a",
      "1.2.0-1",
      "10.0.0.1",
      "::1",
      "",
      "x",
      "1.2.3.4.5",
    );
    const column = fc.constantFrom("version", "capacity");
    fc.assert(
      fc.property(text, text, text, column, (a, b, c, name) => {
        const order = (x: string, y: string): number =>
          Math.sign(compareTypedTexts(typeText(x, name), typeText(y, name)));
        expect(order(a, b)).toBe(-order(b, a) + 0);
        if (order(a, b) <= 0 && order(b, c) <= 0) expect(order(a, c)).toBeLessThanOrEqual(0);
      }),
    );
  });

  test.each([
    [{ quantity: { order: ">", value: 2 ** 30 } }, ["2Gi", "1.1Gi"], ["1Gi", "1024Mi", "many", ""]],
    [{ quantity: { order: "=", value: 2 ** 30 } }, ["1Gi", "1024Mi", "1073741824"], ["1G"]],
    [{ version: { order: ">=", value: "1.31" } }, ["v1.31.0", "1.32", "2.0.0"], ["1.9", "v1.31.0-rc.1", "latest"]],
    [{ version: { order: "=", value: "1.31" } }, ["v1.31.0", "v1.31.0+k3s1"], ["v1.31.1"]],
    [{ address: { order: "=", value: "10.0.0.0/8" } }, ["10.1.2.3"], ["11.0.0.1", "fd00::1", "10.0.0.0/8"]],
    [{ address: { order: "=", value: "fd00::/16" } }, ["fd00:1::"], ["fd01::", "10.0.0.1"]],
    [{ address: { order: "=", value: "::1" } }, ["0:0:0:0:0:0:0:1"], ["::2"]],
    [{ address: { order: ">", value: "10.0.0.9" } }, ["10.0.0.10"], ["10.0.0.9", "fd00::1", "9.9.9.9"]],
  ] as const)("[QL5] %j holds for %j and not for %j", (columnTest, holds, fails) => {
    const passes = createTypedTest(columnTest);
    expect(holds.filter((text) => passes?.(text) !== true)).toEqual([]);
    expect(fails.filter((text) => passes?.(text) === true)).toEqual([]);
  });

  test("[QL5] a range holds for the addresses that Node finds in it", () => {
    const four = fc.ipV4();
    const six = fc.ipV6().filter((text) => !text.includes("."));
    fc.assert(
      fc.property(
        fc.oneof(fc.tuple(four, four, fc.nat({ max: 32 })), fc.tuple(six, six, fc.nat({ max: 128 }))),
        (drawn) => {
          const [first, other, bits] = drawn;
          const family = first.includes(":") ? "ipv6" : "ipv4";
          const blocks = new BlockList();
          blocks.addSubnet(first, bits, family);
          const passes = createTypedTest({ address: { order: "=", value: `${first}/${bits}` } });
          expect(passes?.(first)).toBe(true);
          expect(passes?.(other)).toBe(blocks.check(other, family));
        },
      ),
    );
  });

  test.each([
    "1.2.3",
    "1.2.3.256",
    "1.2.3.4.5",
    "::1::",
    ":",
    "1:2",
    "12345::",
    "1.2.3.4::",
    "10.0.0.1/",
    "fe80::1%eth0",
  ])("[QL5] %j is no address", (text) => {
    expect(parseAddress(text)).toBeUndefined();
  });

  test.each(["10.0.0.0/33", "10.0.0.0/08", "::/129", "10/8", "10.0.0.0/-1"])("[QL5] %j is no range", (text) => {
    expect(parseAddressRange(text)).toBeUndefined();
  });
});
