// SPDX-License-Identifier: Apache-2.0
import { assert } from "./assert.ts";
import type { Random } from "./random.ts";

/** An id from `createId`: the prefix is the type of the named thing, the rest is random. */
export type Id<Prefix extends string> = `${Prefix}_${string}`;

/** 32 characters of 5 bits each, without i, l, o and u, which are easily misread or spell words. */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** 100 bits: among a billion ids with one prefix the probability of a collision is below 10^-12. */
const letterCount = 20;

const bodyPattern = /^[0-9a-hjkmnp-tv-z]{20}$/;
const prefixPattern = /^[a-z][a-z0-9]{0,15}$/;

/** Creates an id, such as `tok_3k9x0c7d2mz5w8qhr4tn`. An id is a name, not a secret: it may be logged and shown. */
export function createId<Prefix extends string>(prefix: Prefix, random: Random): Id<Prefix> {
  assert(prefixPattern.test(prefix), "the prefix of an id is 1 to 16 lower-case letters and digits");
  let body = "";
  for (const byte of random.bytes(letterCount)) body += alphabet.charAt(byte & 31);
  return `${prefix}_${body}`;
}

/** True for an id with this prefix in the exact form of `createId`; upper case is refused. */
export function isId<Prefix extends string>(prefix: Prefix, text: string): text is Id<Prefix> {
  return (
    text.length === prefix.length + 1 + letterCount &&
    text.startsWith(`${prefix}_`) &&
    bodyPattern.test(text.slice(prefix.length + 1))
  );
}
