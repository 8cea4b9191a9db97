// SPDX-License-Identifier: Apache-2.0
import type { ObjectIdentity } from "../../kinds/object-identity.ts";

/** FNV-1a, 32 bits; the offset distinguishes two independent sums. */
function hashText(text: string, offset: number): number {
  let hash = offset;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/**
 * Tells whether two lists held the same objects in the same state, without keeping any of them: a sum over uid and resourceVersion, so order does not count. Only
 * the pace of polling depends on it (KU16): two lists taken for equal by chance cost a later look, no change.
 */
export class ContentDigest {
  #count = 0;
  #low = 0;
  #high = 0;

  add({ uid, namespace, name, resourceVersion }: ObjectIdentity): void {
    const text = `${uid}/${namespace}/${name}/${resourceVersion}`;
    this.#count += 1;
    this.#low = (this.#low + hashText(text, 0x811c9dc5)) >>> 0;
    this.#high = (this.#high + hashText(text, 0x9e3779b9)) >>> 0;
  }

  toString(): string {
    return `${this.#count}.${this.#low}.${this.#high}`;
  }
}
