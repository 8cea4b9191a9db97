// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import xxhash from "xxhash-wasm";
import { createHasher } from "./hasher.ts";

test("[CO41] the hash is xxHash64 with seed 0", async () => {
  const hasher = await createHasher();
  expect(hasher.hash64(new Uint8Array(0))).toBe(0xef46db3751d8e999n);
  expect(hasher.hash64(new TextEncoder().encode("abc"))).toBe(0x44bc2cf5ad770999n);
});

test("[CO36] long input, hashed in pieces, has the same hash as in one", async () => {
  const hasher = await createHasher();
  const bytes = Uint8Array.from({ length: 200_001 }, (_, at) => at % 251);
  expect(hasher.hash64(bytes)).toBe((await xxhash()).h64Raw(bytes));
});
