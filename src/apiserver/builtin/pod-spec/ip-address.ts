// SPDX-License-Identifier: Apache-2.0
// IP addresses as accepted in fields of Kubernetes.
import { type FieldError, invalidValue } from "../../status/field-error.ts";

/**
 * A parsed address of four or sixteen bytes. `isMapped`: IPv4 written as IPv6. `hasLeadingZeros`: an ambiguous form of
 * IPv4.
 */
export interface IpAddress {
  readonly family: "IPv4" | "IPv6";
  readonly bytes: readonly number[];
  readonly isMapped: boolean;
  readonly hasLeadingZeros: boolean;
}

/** Longer text is not parsed: no address is that long. */
const maxTextLength = 64;

/** Parses an address; undefined for invalid text. Zones (`%eth0`) are invalid. */
export function parseIp(text: string): IpAddress | undefined {
  if (text.length > maxTextLength) return undefined;
  if (!text.includes(":")) return parseIpv4(text);
  const words = parseIpv6(text);
  if (words === undefined) return undefined;
  const bytes = words.flatMap((word) => [word >> 8, word & 0xff]);
  const isMapped = words.slice(0, 5).every((word) => word === 0) && words[5] === 0xffff;
  return { family: isMapped ? "IPv4" : "IPv6", bytes, isMapped, hasLeadingZeros: false };
}

/** Validates an address. Leading zeros and IPv4-mapped IPv6 are errors; other forms are accepted. */
export function validateIp(field: string, text: string): readonly FieldError[] {
  const ip = parseIp(text);
  if (ip === undefined)
    return [invalidValue(field, text, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")];
  if (ip.hasLeadingZeros) return [invalidValue(field, text, "must not have leading 0s")];
  return ip.isMapped ? [invalidValue(field, text, "must not be an IPv4-mapped IPv6 address")] : [];
}

/** Validates a CIDR (`10.0.0.0/8`). Leading zeros, IPv4-mapped IPv6 and host bits are errors. */
export function validateCidr(field: string, text: string): readonly FieldError[] {
  const [address = "", prefix = "", ...more] = text.split("/");
  const ip = parseIp(address);
  const bitCount = ip?.bytes.length === 4 ? 32 : 128;
  const isPrefix = /^\d{1,4}$/.test(prefix) && Number(prefix) <= bitCount;
  if (ip === undefined || !isPrefix || more.length > 0)
    return [invalidValue(field, text, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)")];
  if (ip.hasLeadingZeros || (prefix.length > 1 && prefix.startsWith("0")))
    return [invalidValue(field, text, "must not have leading 0s in IP or prefix length")];
  if (ip.isMapped) return [invalidValue(field, text, "must not have an IPv4-mapped IPv6 address")];
  const isMasked = ip.bytes.every((byte, index) => (byte & hostMask(Number(prefix) - index * 8)) === 0);
  return isMasked ? [] : [invalidValue(field, text, "must not have bits set beyond the prefix length")];
}

/** A mask of the host bits in a byte of which `networkBits` belong to the network. */
function hostMask(networkBits: number): number {
  if (networkBits >= 8) return 0;
  return networkBits <= 0 ? 0xff : 0xff >> networkBits;
}

function parseIpv4(text: string): IpAddress | undefined {
  const parts = text.split(".");
  const isAddress = parts.length === 4 && parts.every((part) => /^\d{1,8}$/.test(part) && Number(part) <= 255);
  if (!isAddress) return undefined;
  const hasLeadingZeros = parts.some((part) => part.length > 1 && part.startsWith("0"));
  return { family: "IPv4", bytes: parts.map(Number), isMapped: false, hasLeadingZeros };
}

/** The eight 16-bit words of an IPv6 address. */
function parseIpv6(text: string): readonly number[] | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const [head = "", tail] = halves;
  const before = parseWords(head, tail === undefined);
  const after = tail === undefined ? [] : parseWords(tail, true);
  if (before === undefined || after === undefined) return undefined;
  const missing = 8 - before.length - after.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  return [...before, ...Array.from({ length: missing }, () => 0), ...after];
}

/** Parses words separated by colons. With `isEnd`, the last may be an IPv4 address. */
function parseWords(text: string, isEnd: boolean): readonly number[] | undefined {
  if (text === "") return [];
  const parts = text.split(":");
  const words: number[] = [];
  for (const [index, part] of parts.entries()) {
    if (/^[0-9a-fA-F]{1,4}$/.test(part)) {
      words.push(Number.parseInt(part, 16));
      continue;
    }
    const ipv4 = isEnd && index === parts.length - 1 ? parseIpv4(part) : undefined;
    if (ipv4 === undefined || ipv4.hasLeadingZeros) return undefined;
    const [a = 0, b = 0, c = 0, d = 0] = ipv4.bytes;
    words.push(a * 256 + b, c * 256 + d);
  }
  return words;
}
