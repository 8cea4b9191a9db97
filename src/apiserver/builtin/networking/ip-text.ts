// SPDX-License-Identifier: Apache-2.0
// CIDR parsing, and IP addresses in the form that Go prints.
import { type IpAddress, parseIp } from "../pod-spec/ip-address.ts";

/** A parsed CIDR. `ip` is the address as written; `network` is the first address of the range. */
export interface Cidr {
  readonly ip: IpAddress;
  readonly network: IpAddress;
  readonly prefixLength: number;
  readonly hasLeadingZeros: boolean;
}

/** Parses a CIDR; undefined for invalid text. */
export function parseCidr(text: string): Cidr | undefined {
  const [address = "", prefix = "", ...more] = text.split("/");
  const ip = parseIp(address);
  if (ip === undefined || more.length > 0 || !/^\d{1,4}$/.test(prefix)) return undefined;
  const prefixLength = Number(prefix);
  if (prefixLength > ip.bytes.length * 8) return undefined;
  const bytes = ip.bytes.map((byte, index) => byte & networkMask(prefixLength - index * 8));
  const hasLeadingZeros = ip.hasLeadingZeros || (prefix.length > 1 && prefix.startsWith("0"));
  return { ip, network: { ...ip, bytes }, prefixLength, hasLeadingZeros };
}

/** Whether `inner` lies within `outer` and is smaller. */
export function isStrictSubset(inner: Cidr, outer: Cidr): boolean {
  const a = inner.network.bytes;
  const b = outer.network.bytes;
  if (a.length !== b.length || outer.prefixLength >= inner.prefixLength) return false;
  return a.every((byte, index) => (byte & networkMask(outer.prefixLength - index * 8)) === b[index]);
}

/** Formats IPv4 (and IPv4-mapped) addresses as dotted decimal, and IPv6 addresses as in RFC 5952. */
export function formatIp(ip: IpAddress): string {
  if (ip.family === "IPv4") return ip.bytes.slice(-4).join(".");
  const words = Array.from({ length: 8 }, (_, at) => (ip.bytes[at * 2] ?? 0) * 256 + (ip.bytes[at * 2 + 1] ?? 0));
  const [start, length] = longestZeros(words);
  const shown = (part: readonly number[]): string => part.map((word) => word.toString(16)).join(":");
  if (length < 2) return shown(words);
  return `${shown(words.slice(0, start))}::${shown(words.slice(start + length))}`;
}

/** Start and length of the longest run of zeros. Of equal runs, the first. */
function longestZeros(words: readonly number[]): readonly [number, number] {
  let best: readonly [number, number] = [0, 0];
  let start = 0;
  for (const [index, word] of words.entries()) {
    if (word !== 0) start = index + 1;
    else if (index + 1 - start > best[1]) best = [start, index + 1 - start];
  }
  return best;
}

/** A mask of the network bits in a byte of which `networkBits` belong to the network. */
function networkMask(networkBits: number): number {
  if (networkBits >= 8) return 0xff;
  return networkBits <= 0 ? 0 : (0xff << (8 - networkBits)) & 0xff;
}
