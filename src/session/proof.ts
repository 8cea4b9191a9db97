// SPDX-License-Identifier: Apache-2.0
import { ByteWriter } from "../model/rows/byte-writer.ts";

/** The identity of a session, from its Hello (SE1). */
export interface SessionIdentity {
  readonly clusterId: string;
  readonly shard: string;
  readonly agentId: string;
  readonly incarnation: string;
}

/** Bytes of a nonce: enough that none ever repeats. */
export const nonceBytes = 32;

/** Signs with the agent's private key, which never leaves the agent. */
export interface Signer {
  sign(bytes: Uint8Array): Promise<Uint8Array>;
}

/** Verifies a signature with a registered public key. False also for keys and signatures of a wrong length. */
export interface ProofVerifier {
  verify(publicKey: Uint8Array, bytes: Uint8Array, signature: Uint8Array): Promise<boolean>;
}

/** Part of the signed bytes, so that the signature is valid for this purpose only. */
const purpose = "flotilla session v1";

/**
 * The bytes that a session signs to prove its key (SE6). Parts are prefixed with their lengths, so different sessions
 * never sign the same bytes.
 */
export function proofBytes(identity: SessionIdentity, hubName: string, nonce: Uint8Array): Uint8Array {
  const writer = new ByteWriter();
  for (const part of [purpose, hubName, identity.clusterId, identity.shard, identity.agentId, identity.incarnation])
    writer.text(part);
  writer.bytes(nonce);
  return writer.take();
}
