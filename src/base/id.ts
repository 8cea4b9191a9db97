// SPDX-License-Identifier: Apache-2.0
import { assert } from "./assert.ts";
import type { Random } from "./random.ts";

/** Text that `createId` makes: the prefix says what it names, the rest is chance. */
export type Id<Prefix extends string> = `${Prefix}_${string}`;

/** 32 letters, so 5 bits each; without i, l, o and u, which people misread or which spell words. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** 100 bits: among a billion ids of one prefix the chance that any two are equal is below 10^-12. */
const letterCount = 20;

const bodyPattern = /^[0-9a-hjkmnp-tv-z]{20}$/;
const prefixPattern = /^[a-z][a-z0-9]{0,15}$/;

/** A new id, such as `tok_3k9x0c7d2mz5w8qhr4tn`. An id is a name, not a secret: it may be logged and shown. */
export function createId<Prefix extends string>(prefix: Prefix, random: Random): Id<Prefix> {
  assert(prefixPattern.test(prefix), "the prefix of an id is 1 to 16 lower-case letters and digits");
  let body = "";
  for (const byte of random.bytes(letterCount)) body += alphabet.charAt(byte & 31);
  return `${prefix}_${body}`;
}

/** True for text of exactly the form that `createId` gives for this prefix; upper case is refused. */
export function isId<Prefix extends string>(prefix: Prefix, text: string): text is Id<Prefix> {
  return (
    text.length === prefix.length + 1 + letterCount &&
    text.startsWith(`${prefix}_`) &&
    bodyPattern.test(text.slice(prefix.length + 1))
  );
}
