// SPDX-License-Identifier: Apache-2.0
import { nameLetters } from "../../apiserver/metadata/generate-name.ts";

/** FNV-1a in 32 bits over the text's UTF-16 units. The result never changes between releases. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** The hash as used in names: each digit mapped to a safe letter, as in Kubernetes. */
export function hashLetters(text: string): string {
  return String(hashText(text)).replace(/\d/g, (digit) => nameLetters.charAt(digit.charCodeAt(0) % nameLetters.length));
}
