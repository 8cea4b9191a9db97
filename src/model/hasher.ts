// SPDX-License-Identifier: Apache-2.0
import xxhash from "xxhash-wasm";

/** xxHash64 with seed 0. Fast and well spread; it guards against accidents, not against somebody who constructs collisions. */
export interface Hasher {
  /** The hash of these bytes, 0 to 2^64 - 1. */
  hash64(bytes: Uint8Array): bigint;
}

/** Longest piece handed to WebAssembly at once. Its memory grows to the longest input and never shrinks, so long input goes in pieces. */
const pieceBytes = 65_536;

/** Loads the hash function. Once per thread; the hasher holds no state between calls and may be shared within the thread. */
export async function createHasher(): Promise<Hasher> {
  const api = await xxhash();
  return {
    hash64(bytes) {
      if (bytes.length <= pieceBytes) return api.h64Raw(bytes);
      const state = api.create64();
      for (let at = 0; at < bytes.length; at += pieceBytes) state.update(bytes.subarray(at, at + pieceBytes));
      return state.digest();
    },
  };
}
