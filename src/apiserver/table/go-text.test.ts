// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { compareUtf8 } from "../../model/text.ts";
import { toGoText, trimSpace } from "./go-text.ts";

test("texts are ordered as their UTF-8 bytes are", () => {
  const encoder = new TextEncoder();
  const whole = fc.string({ unit: "binary", maxLength: 6 });
  fc.assert(
    fc.property(whole, whole, (left, right) => {
      const [a, b] = [encoder.encode(left), encoder.encode(right)];
      const at = a.findIndex((byte, index) => byte !== b[index]);
      const expected = at === -1 ? a.length - b.length : (a[at] ?? 0) - (b[at] ?? -1);
      expect(Math.sign(compareUtf8(left, right))).toBe(Math.sign(expected));
    }),
  );
});

test("white space around a text goes, as Go sees it", () => {
  expect(trimSpace("\u0085\u3000 a \t b\r\n\u00a0")).toBe("a \t b");
  expect(trimSpace("\ufeffa")).toBe("\ufeffa");
  expect(trimSpace(` ${" ".repeat(200_000)}`)).toBe("");
});

test("keys of objects are sorted bytewise", () => {
  const value = JSON.parse('{"b":{"d":1,"c":2},"__proto__":3,"a":[{"f":1,"e":2}]}') as {
    readonly [key: string]: number;
  };
  expect(toGoText(value)).toBe('{"__proto__":3,"a":[{"e":2,"f":1}],"b":{"c":2,"d":1}}');
});
