// SPDX-License-Identifier: Apache-2.0
import { cutText } from "../../model/text.ts";

/** Characters of a message that are read. Messages have at most 512 bytes (CO13); an agent may send longer ones. */
const maxReadLength = 1_024;

/** Bytes of a normalised message: two messages that differ only after them are one. */
const maxNormalisedBytes = 256;

/** The letters and digits of the suffixes that Kubernetes generates: no vowels, no digits that look like letters. */
const generated = "[bcdfghjklmnpqrstvwxz2456789]";

/** What differs between objects with the same fault, and what takes its place. Applied in this order. */
const replacements: readonly (readonly [pattern: RegExp, placeholder: string])[] = [
  [/\b[a-z0-9]+:[0-9a-f]{32,}/g, "<digest>"],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "<uid>"],
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?/g, "<time>"],
  [/\b\d{1,2}:\d\d:\d\d(?:\.\d+)?\b/g, "<time>"],
  [/\b\d{1,3}(?:\.\d{1,3}){3}(?:\/\d{1,3}|:\d{1,5})?\b/g, "<ip>"],
  [/\[?\b[0-9a-f]{1,4}(?::[0-9a-f]{0,4}){2,7}\b\]?(?::\d{1,5}\b)?/gi, "<ip>"],
  [/"[^"\s]+"|'[^'\s]+'|`[^`\s]+`/g, "<name>"],
  [new RegExp(`-${generated}{6,10}(?:-${generated}{5})?(?![a-z0-9])`, "g"), "-<hash>"],
  [new RegExp(`-${generated}{5}(?![a-z0-9])`, "g"), "-<hash>"],
  [/\b(?=[a-f]*\d)[0-9a-f]{7,64}\b/g, "<hash>"],
  [/\b(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h|d))+\b/g, "<duration>"],
  [/\d+(?:[.,]\d+)*/g, "<n>"],
];

/**
 * The message without what differs between objects with the same fault: numbers, durations, times, uids, hashes,
 * addresses, digests and quoted names become placeholders (PB4). Normalising twice changes nothing.
 */
export function normaliseMessage(message: string): string {
  let text = message.slice(0, maxReadLength).toWellFormed();
  for (const [pattern, placeholder] of replacements) text = text.replace(pattern, placeholder);
  return cutText(text.replaceAll(/\s+/g, " ").trim(), maxNormalisedBytes);
}
