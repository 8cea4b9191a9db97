// SPDX-License-Identifier: Apache-2.0
import { assert } from "./assert.ts";

/**
 * The source of randomness; everything that draws takes one as an argument. Create secrets (token, key, nonce) only
 * from the system's Random that `main/` passes down; a seeded one can be predicted from its seed.
 */
export interface Random {
  /** A number in [0, 1) with 53 random bits. */
  next(): number;
  /** An integer in [0, 2^32). */
  uint32(): number;
  /** An integer in [0, maxExclusive), uniformly distributed. `maxExclusive` is an integer from 1 to 2^32. */
  int(maxExclusive: number): number;
  /** `byteCount` random bytes in a new array. */
  bytes(byteCount: number): Uint8Array<ArrayBuffer>;
}

/**
 * A Random with the same values for the same seed on every platform and in every release, so that recorded seeds can be
 * replayed.
 */
export interface SeededRandom extends Random {
  /** A sub-stream. It depends only on seed and name, not on how much was drawn from this one. */
  fork(name: string): SeededRandom;
}

/** Deterministic values for simulations and tests. Never for secrets. The seeds 7 and "7" are the same seed. */
export function createSeededRandom(seed: number | string): SeededRandom {
  return fromSeedWords(absorb([0, 1, 2, 3], String(seed)));
}

/** `next` and `int` for any source of 32-bit words; shared by the implementations. */
export function drawFrom(uint32: () => number): Pick<Random, "next" | "uint32" | "int"> {
  return {
    uint32,
    next: () => ((uint32() >>> 5) * 2 ** 26 + (uint32() >>> 6)) / 2 ** 53,
    int(maxExclusive) {
      assert(
        Number.isInteger(maxExclusive) && maxExclusive >= 1 && maxExclusive <= 2 ** 32,
        "int() takes a whole number from 1 to 2^32",
      );
      // Words above the last whole multiple would bias towards low values, so they are drawn again.
      const limit = 2 ** 32 - (2 ** 32 % maxExclusive);
      let word = uint32();
      while (word >= limit) word = uint32();
      return word % maxExclusive;
    },
  };
}

type Words = readonly [number, number, number, number];

function fromSeedWords(seed: Words): SeededRandom {
  const uint32 = createXoshiro128(seed);
  return {
    ...drawFrom(uint32),
    bytes(byteCount) {
      const bytes = new Uint8Array(byteCount);
      for (let at = 0, word = 0; at < byteCount; at += 1) {
        word = at % 4 === 0 ? uint32() : word >>> 8;
        bytes[at] = word;
      }
      return bytes;
    },
    fork: (name) => fromSeedWords(absorb(seed, name)),
  };
}

/**
 * The generator xoshiro128** (Blackman and Vigna, public domain) with this state. An all-zero state is invalid and is
 * replaced.
 */
export function createXoshiro128(state: Words): () => number {
  let [a, b, c, d] = state;
  if ((a | b | c | d) === 0) a = 1;
  return () => {
    const word = Math.imul(rotateLeft(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotateLeft(d, 11);
    return word;
  };
}

function rotateLeft(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}

/** Mixes `text` into each word, length first, so that the order of names and their boundaries matter. */
function absorb(words: Words, text: string): Words {
  const mixOne = (word: number): number => {
    let mixed = splitMix(word ^ text.length);
    for (let at = 0; at < text.length; at += 1) mixed = splitMix(mixed ^ text.charCodeAt(at));
    return mixed;
  };
  return [mixOne(words[0]), mixOne(words[1]), mixOne(words[2]), mixOne(words[3])];
}

/**
 * One step of splitmix in 32 bits: adds the golden ratio, then scatters with the finalizer of MurmurHash3. A bijection.
 */
function splitMix(word: number): number {
  let mixed = (word + 0x9e3779b9) | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
