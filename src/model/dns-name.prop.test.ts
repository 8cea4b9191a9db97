// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isDnsLabel, isDnsLabelBytes } from "./dns-name.ts";

/** Bytes around the ends of each allowed range, most often allowed ones. */
const byte = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...Buffer.from("azmb059-")) },
  { weight: 1, arbitrary: fc.constantFrom(...Buffer.from("`{/:,.AZ_\n\0"), 0x80, 0xc3, 0xff) },
);

const label = fc.array(byte, { maxLength: 70 });

test("[CO64] a label is judged by its bytes as by its text, wherever it stands among other bytes", () => {
  fc.assert(
    fc.property(label, label, label, (before, inner, after) => {
      const bytes = Uint8Array.from([...before, ...inner, ...after]);
      const [from, end] = [before.length, before.length + inner.length];
      // Each byte as one character, as no byte above 0x7f is part of a label.
      expect(isDnsLabelBytes(bytes, from, end)).toBe(isDnsLabel(String.fromCharCode(...inner)));
    }),
    { numRuns: 2_000 },
  );
});

test("[CO64] every single byte, and every pair of bytes, is judged as its text", () => {
  for (let first = 0; first < 256; first += 1) {
    expect(isDnsLabelBytes(Uint8Array.of(first), 0, 1)).toBe(isDnsLabel(String.fromCharCode(first)));
    for (let second = 0; second < 256; second += 1)
      if (isDnsLabelBytes(Uint8Array.of(first, second), 0, 2) !== isDnsLabel(String.fromCharCode(first, second)))
        expect.unreachable(`${first} ${second}`);
  }
});

test.each([62, 63, 64])("[CO64] the length of %d bytes is judged as that of the text", (length) => {
  const text = "a".repeat(length);
  expect(isDnsLabelBytes(Buffer.from(text), 0, length)).toBe(isDnsLabel(text));
});
