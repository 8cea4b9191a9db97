// SPDX-License-Identifier: Apache-2.0
// Writes the DER types (ITU-T X.690) that an X.509 certificate needs. Node reads certificates.
import { assert } from "../../base/assert.ts";

/** One encoded value: tag, length, content. */
export type Der = Uint8Array<ArrayBuffer>;

/** A value of any tag around parts that are already encoded, or raw content bytes. */
export function tagged(tag: number, ...parts: readonly Uint8Array[]): Der {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const head = [tag, ...lengthOctets(length)];
  const bytes = new Uint8Array(head.length + length);
  bytes.set(head);
  let at = head.length;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function lengthOctets(length: number): number[] {
  if (length < 0x80) return [length];
  const octets: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) octets.unshift(rest % 256);
  return [0x80 | octets.length, ...octets];
}

export const sequence = (...parts: readonly Uint8Array[]): Der => tagged(0x30, ...parts);
export const setOf = (part: Uint8Array): Der => tagged(0x31, part);
export const octetString = (content: Uint8Array): Der => tagged(0x04, content);
export const utf8String = (text: string): Der => tagged(0x0c, new TextEncoder().encode(text));
export const derTrue: Der = tagged(0x01, Uint8Array.of(0xff));

/** A constructed `[number]` that keeps the tag of its content. */
export const explicit = (number: number, part: Uint8Array): Der => tagged(0xa0 | number, part);
/** A primitive `[number]` in place of the content's own tag. */
export const implicit = (number: number, content: Uint8Array): Der => tagged(0x80 | number, content);

/** A non-negative integer from its big-endian bytes. Leading zeros are dropped, as DER requires. */
export function integer(bigEndian: Uint8Array): Der {
  const first = bigEndian.findIndex((octet) => octet !== 0);
  const magnitude = first === -1 ? Uint8Array.of(0) : bigEndian.subarray(first);
  const high = (magnitude[0] ?? 0) >= 0x80;
  return high ? tagged(0x02, Uint8Array.of(0), magnitude) : tagged(0x02, magnitude);
}

/** A bit string; the last `unusedCount` bits of the last octet are unused. */
export function bitString(content: Uint8Array, unusedCount = 0): Der {
  return tagged(0x03, Uint8Array.of(unusedCount), content);
}

/** An object identifier in dotted form. */
export function objectIdentifier(dotted: string): Der {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const octets: number[] = [];
  for (const arc of [first * 40 + second, ...rest]) {
    assert(Number.isSafeInteger(arc), `not an object identifier: ${dotted}`);
    const groups = [arc % 128];
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128)) groups.unshift(0x80 | (left % 128));
    octets.push(...groups);
  }
  return tagged(0x06, Uint8Array.from(octets));
}

/**
 * A time to the second. Years up to 2049 have two digits (UTCTime), later ones four, as RFC 5280 section 4.1.2.5
 * requires.
 */
export function time(wallMs: number): Der {
  const digits = new Date(wallMs).toISOString().replace(/[-:T]|\.\d+/g, "");
  const isShort = digits < "2050";
  return tagged(isShort ? 0x17 : 0x18, new TextEncoder().encode(isShort ? digits.slice(2) : digits));
}
