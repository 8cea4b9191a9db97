// SPDX-License-Identifier: Apache-2.0
// What stands for signatures and compression: cheap, and the same on every run. Neither is what this world is about.

import { FlotillaError } from "../../../src/base/error.ts";
import type { Random } from "../../../src/base/random.ts";
import type { Clock } from "../../../src/base/time/clock.ts";
import type { Codec } from "../../../src/model/rows/codec.ts";
import { createHasher } from "../../../src/model/rows/hasher.ts";
import type { ProofVerifier, Signer } from "../../../src/session/proof.ts";
import { type Delay, drawDelayMs } from "../../support/sim/delay.ts";

export const hasher = await createHasher();

/** The public key of a cluster. */
export function keyOf(cluster: string): Uint8Array {
  const key = new Uint8Array(32);
  new TextEncoder().encodeInto(cluster, key);
  return key;
}

function sign(key: Uint8Array, bytes: Uint8Array): Uint8Array {
  const signed = new Uint8Array(key.length + bytes.length);
  signed.set(key);
  signed.set(bytes, key.length);
  const signature = new Uint8Array(8);
  new DataView(signature.buffer).setBigUint64(0, hasher.hash64(signed));
  return signature;
}

/** Signs for that cluster. */
export function signerOf(cluster: string): Signer {
  return { sign: async (bytes) => sign(keyOf(cluster), bytes) };
}

export const verifier: ProofVerifier = {
  async verify(publicKey, bytes, signature) {
    const right = sign(publicKey, bytes);
    return right.length === signature.length && right.every((byte, at) => byte === signature[at]);
  },
};

/** Leaves bytes as they are. */
export const plainCodec: Codec = {
  compress: async (bytes) => bytes.slice(),
  async decompress(bytes, maxBytes) {
    if (bytes.length > maxBytes) throw new FlotillaError("TOO_LARGE", `more than ${maxBytes} bytes`);
    return bytes.slice();
  },
};

/** What unpacking takes in a thread of its own: now and then so long that another session begins meanwhile. */
export const unpackDelay: Delay = { minMs: 0, maxMs: 2, spikeEvery: 12, spikeMs: 500 };

/** The codec as a hub meets it: unpacking takes time. */
export function createSlowCodec(clock: Clock, random: Random, delay: Delay): Codec {
  return {
    ...plainCodec,
    async decompress(bytes, maxBytes) {
      const delayMs = drawDelayMs(delay, random);
      if (delayMs > 0) await clock.sleep(delayMs);
      return plainCodec.decompress(bytes, maxBytes);
    },
  };
}
