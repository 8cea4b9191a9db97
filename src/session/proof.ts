// SPDX-License-Identifier: Apache-2.0
import { ByteWriter } from "../model/byte-writer.ts";

/** Who a session is, as its Hello said (SE1). */
export interface SessionIdentity {
  readonly clusterId: string;
  readonly shard: string;
  readonly agentId: string;
  readonly incarnation: string;
}

/** Bytes of a nonce: enough that none is ever drawn twice. */
export const nonceBytes = 32;

/** Signs with the agent's private key, which never leaves it. */
export interface Signer {
  sign(bytes: Uint8Array): Promise<Uint8Array>;
}

/** Judges a signature by a registered public key; false for keys and signatures of a wrong length too. */
export interface ProofVerifier {
  verify(publicKey: Uint8Array, bytes: Uint8Array, signature: Uint8Array): Promise<boolean>;
}

/** Names what is signed, so that a signature made for this can stand for nothing else. */
const purpose = "flotilla session v1";

/** The bytes that a session signs to prove its key (SE6). Lengths before the parts: no two sessions sign the same bytes. */
export function proofBytes(identity: SessionIdentity, hubName: string, nonce: Uint8Array): Uint8Array {
  const writer = new ByteWriter();
  for (const part of [purpose, hubName, identity.clusterId, identity.shard, identity.agentId, identity.incarnation])
    writer.text(part);
  writer.bytes(nonce);
  return writer.take();
}
