// SPDX-License-Identifier: Apache-2.0
import xxhash from "xxhash-wasm";

/**
 * xxHash64 with seed 0. Fast and well distributed. It protects against accidents, not against constructed collisions.
 */
export interface Hasher {
  /** The hash of these bytes, 0 to 2^64 - 1. */
  hash64(bytes: Uint8Array): bigint;
}

/**
 * The longest piece passed to WebAssembly. Its memory grows to the longest input and never shrinks, so long input is
 * passed in pieces.
 */
const pieceBytes = 65_536;

/**
 * Loads the hash function. Call once per thread. The hasher has no state between calls and may be shared within the
 * thread.
 */
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
