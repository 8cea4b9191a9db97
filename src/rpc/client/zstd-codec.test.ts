// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { zstdCodec } from "./zstd-codec.ts";

test("[CO33] what was compressed comes back as it was", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 2_000 }), async (bytes) => {
      const back = await zstdCodec.decompress(await zstdCodec.compress(bytes), Math.max(1, bytes.length));
      expect(Buffer.compare(back, bytes)).toBe(0);
    }),
    { numRuns: 50 },
  );
});

test.each([0, 1, 5_000, 16 * 1024, 16 * 1024 + 1, 300_000])(
  "[CO33] %i bytes come back in memory of their own, which holds nothing else",
  async (length) => {
    const bytes = Uint8Array.from({ length }, (_, at) => (at * at) % 251);
    const packed = await zstdCodec.compress(bytes);
    const back = await zstdCodec.decompress(packed, Math.max(1, length));
    expect(Buffer.compare(back, bytes)).toBe(0);
    for (const each of [packed, back]) expect(each.buffer.byteLength).toBe(each.byteLength);
  },
);

test.each([100, 16 * 1024, 20_000])("[CO33] one byte more than a bound of %i is refused", async (maxBytes) => {
  const packed = await zstdCodec.compress(new Uint8Array(maxBytes + 1));
  await expect(zstdCodec.decompress(packed, maxBytes)).rejects.toMatchObject({ code: "TOO_LARGE" });
});

test("[CO33] a bomb is refused as soon as it passes the bound", async () => {
  const bomb = await zstdCodec.compress(new Uint8Array(50_000_000));
  expect(bomb.length).toBeLessThan(10_000);
  await expect(zstdCodec.decompress(bomb, 1_000_000)).rejects.toMatchObject({ code: "TOO_LARGE" });
});

test.each([
  ["no bytes", new Uint8Array()],
  ["other bytes", new Uint8Array([1, 2, 3, 4])],
])("[CO33] %s are refused as malformed", async (_name, bytes) => {
  await expect(zstdCodec.decompress(bytes, 1_000)).rejects.toMatchObject({ code: "MALFORMED" });
});

test("[CO33] bytes that are cut off are refused as malformed", async () => {
  const whole = await zstdCodec.compress(new TextEncoder().encode("rows ".repeat(1_000)));
  const cut = whole.subarray(0, whole.length - 3);
  await expect(zstdCodec.decompress(cut, 10_000)).rejects.toMatchObject({ code: "MALFORMED" });
});
