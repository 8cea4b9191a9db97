// SPDX-License-Identifier: Apache-2.0
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";
import { FlotillaError } from "../../base/error.ts";
import type { ProofVerifier, Signer } from "../../session/proof.ts";

/** Length of a raw Ed25519 public key. */
const publicKeyBytes = 32;

/** The DER prefix of an Ed25519 public key (RFC 8410). */
const publicKeyHead = Buffer.from("302a300506032b6570032100", "hex");

/** An agent's Ed25519 key pair. The private key leaves it only through `toPem`. */
export interface AgentKey extends Signer {
  /** Raw, 32 bytes. Registered at the hub. */
  readonly publicKey: Uint8Array;
  /** The private key as PKCS#8 PEM, for storing it. */
  toPem(): string;
}

/** A new key. */
export function createAgentKey(): AgentKey {
  return toAgentKey(generateKeyPairSync("ed25519").privateKey);
}

/**
 * Parses a PKCS#8 PEM text. Throws CONFIG_INVALID for anything but an Ed25519 private key. The message contains no part
 * of the text.
 */
export function parseAgentKey(pem: string): AgentKey {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch (reason) {
    throw new FlotillaError("CONFIG_INVALID", "the agent's key is not a private key in PEM form", { cause: reason });
  }
  if (key.asymmetricKeyType !== "ed25519") {
    throw new FlotillaError("CONFIG_INVALID", `the agent's key is ${key.asymmetricKeyType ?? "secret"}, not Ed25519`);
  }
  return toAgentKey(key);
}

function toAgentKey(key: KeyObject): AgentKey {
  const der = createPublicKey(key).export({ type: "spki", format: "der" });
  return {
    publicKey: new Uint8Array(der.subarray(der.length - publicKeyBytes)),
    toPem: () => key.export({ type: "pkcs8", format: "pem" }),
    sign: (bytes) => Promise.resolve(new Uint8Array(sign(null, bytes, key))),
  };
}

/** Verifies Ed25519 signatures. False for a malformed key or signature. */
export const ed25519Verifier: ProofVerifier = {
  verify(publicKey, bytes, signature) {
    if (publicKey.length !== publicKeyBytes) return Promise.resolve(false);
    const key = createPublicKey({ key: Buffer.concat([publicKeyHead, publicKey]), format: "der", type: "spki" });
    return Promise.resolve(verify(null, bytes, key, signature));
  },
};
