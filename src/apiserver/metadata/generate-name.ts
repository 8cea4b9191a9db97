// SPDX-License-Identifier: Apache-2.0
import type { Random } from "../../base/random.ts";

/** Kubernetes' alphabet for generated names and hashes: without vowels and similar digits, so that no words result. */
export const nameLetters = "bcdfghjklmnpqrstvwxz2456789";

/** The suffix length of Kubernetes. */
const suffixLength = 5;

/** Maximum length of the base: 63 bytes (a DNS label) less the suffix. */
const maxBaseBytes = 58;

/** Generates a name from `metadata.generateName`. Names may repeat; the writer retries then. */
export function generateName(base: string, random: Random): string {
  let suffix = "";
  for (let at = 0; at < suffixLength; at += 1) suffix += nameLetters.charAt(random.int(nameLetters.length));
  return cutBytes(base) + suffix;
}

/** Whether the name may have been generated from that base. A name chosen by a client can look the same. */
export function isGeneratedFrom(base: string, name: string): boolean {
  const kept = cutBytes(base);
  if (!name.startsWith(kept) || name.length !== kept.length + suffixLength) return false;
  return Array.from(name.slice(kept.length)).every((letter) => nameLetters.includes(letter));
}

/** A character split by the cut becomes U+FFFD, which every name rule refuses. */
function cutBytes(base: string): string {
  const bytes = new TextEncoder().encode(base);
  return bytes.length <= maxBaseBytes ? base : new TextDecoder().decode(bytes.subarray(0, maxBaseBytes));
}

/** A random UUID (version 4) for an object. */
export function createUid(random: Random): string {
  const bytes = random.bytes(16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toHex();
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
