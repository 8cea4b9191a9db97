// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ChunkJoiner, splitIntoChunks } from "./chunks.ts";

test("[SE19] a message in chunks is put together as it was, whatever the size of a part", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 300 }), fc.integer({ min: 1, max: 310 }), (message, part) => {
      const joiner = new ChunkJoiner(message.length);
      const parts = splitIntoChunks(message, part);
      expect(parts.every(({ bytes }) => bytes.length <= part)).toBe(true);
      const joined = parts.map((each) => [joiner.add(each), joiner.isOpen] as const);
      expect(joined.at(-1)).toEqual([message, false]);
      expect(joined.slice(0, -1).every(([whole, isOpen]) => whole === undefined && isOpen)).toBe(true);
    }),
  );
});

test("[SE19] the bound counts all parts, so nothing larger is ever held", () => {
  const joiner = new ChunkJoiner(5);
  joiner.add({ bytes: new Uint8Array(3), isLast: false });
  expect(() => joiner.add({ bytes: new Uint8Array(3), isLast: false })).toThrow("more than 5 bytes");
});

test("[SE19] an empty part is refused: it would never end", () => {
  expect(() => new ChunkJoiner(5).add({ bytes: new Uint8Array(0), isLast: false })).toThrow("without bytes");
});
