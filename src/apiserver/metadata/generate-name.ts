// SPDX-License-Identifier: Apache-2.0
import type { Random } from "../../base/random.ts";

/** Kubernetes' letters for generated names: no vowel and nothing that looks like one, so that no word comes out. */
const letters = "bcdfghjklmnpqrstvwxz2456789";

/** How many letters Kubernetes adds. */
const suffixLength = 5;

/** What is kept of a longer base: 63 bytes (a DNS label) less the letters added. */
const maxBaseBytes = 58;

/** A name for an object that has only `metadata.generateName`. Two calls may give the same name; the writer tries again then. */
export function generateName(base: string, random: Random): string {
  let suffix = "";
  for (let at = 0; at < suffixLength; at += 1) suffix += letters.charAt(random.int(letters.length));
  return cutBytes(base) + suffix;
}

/** Whether the name may have been generated from that base: one that a client chose can look the same. */
export function isGeneratedFrom(base: string, name: string): boolean {
  const kept = cutBytes(base);
  if (!name.startsWith(kept) || name.length !== kept.length + suffixLength) return false;
  return Array.from(name.slice(kept.length)).every((letter) => letters.includes(letter));
}

/** A character that the cut divides becomes U+FFFD, which no rule for names allows. */
function cutBytes(base: string): string {
  const bytes = new TextEncoder().encode(base);
  return bytes.length <= maxBaseBytes ? base : new TextDecoder().decode(bytes.subarray(0, maxBaseBytes));
}
