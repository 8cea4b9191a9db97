// SPDX-License-Identifier: Apache-2.0
import type { ObjectIdentity } from "../../kinds/object-identity.ts";

/** FNV-1a, 32 bits. Two different offsets give two independent sums. */
function hashText(text: string, offset: number): number {
  let hash = offset;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/**
 * Detects whether two lists had the same objects in the same state, without keeping them: a sum over identities and
 * resourceVersions, independent of order. Only the polling interval depends on it (KU16): a collision delays the next
 * list but loses no change.
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
