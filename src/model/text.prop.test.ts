// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { compareUtf8, cutText, utf8ByteCount } from "./text.ts";

/** Any character, with those that are special somewhere often. */
const character = fc.oneof(
  fc.constantFrom("a", "/", "%", ":", ".", ",", "=", "\\", "\u0000", "\ufeff", "\ufffd", "\u{10000}"),
  fc.integer({ min: 0, max: 0xd7ff }).map((point) => String.fromCodePoint(point)),
  fc.integer({ min: 0xe000, max: 0x10ffff }).map((point) => String.fromCodePoint(point)),
);

const encoder = new TextEncoder();
const text = fc.string({ unit: character });

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (const [at, byte] of a.entries()) {
    const other = b[at];
    if (other === undefined) return 1;
    if (byte !== other) return byte - other;
  }
  return a.length - b.length;
}

test("[CO10] the order of texts is the order of their UTF-8 bytes", () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(Math.sign(compareUtf8(a, b))).toBe(Math.sign(compareBytes(encoder.encode(a), encoder.encode(b))));
    }),
  );
});

test("counting bytes agrees with encoding, lone surrogates included", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 0xffff })), (units) => {
      const text = String.fromCharCode(...units);
      expect(utf8ByteCount(text)).toBe(encoder.encode(text).length);
    }),
  );
});

test("[CO13] a cut text fits its bound, is well-formed, and is the beginning of the original", () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 3, max: 40 }), (original, maxBytes) => {
      const cut = cutText(original, maxBytes);
      expect(encoder.encode(cut).length).toBeLessThanOrEqual(maxBytes);
      expect(cut.isWellFormed()).toBe(true);
      expect(cut === original || original.startsWith(cut.slice(0, -1))).toBe(true);
    }),
  );
});
