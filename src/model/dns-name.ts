// SPDX-License-Identifier: Apache-2.0

/** Longest DNS label (RFC 1123); also the longest cluster id, namespace and resource. */
export const maxDnsLabelLength = 63;

/** Longest DNS subdomain in Kubernetes; also the longest API group. */
export const maxDnsSubdomainLength = 253;

const dnsLabel = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;

/** True for 1 to 63 of `a-z`, `0-9` and `-` that neither begin nor end with `-`. */
export function isDnsLabel(text: string): boolean {
  return text.length <= maxDnsLabelLength && dnsLabel.test(text);
}

const [hyphen, digitZero, digitNine, letterA, letterZ] = [0x2d, 0x30, 0x39, 0x61, 0x7a];

/** `isDnsLabel` of the text with these bytes, without making the text. */
export function isDnsLabelBytes(bytes: Uint8Array, from: number, end: number): boolean {
  const length = end - from;
  if (length < 1 || length > maxDnsLabelLength) return false;
  for (let at = from; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    const isAlphanumeric = (byte >= letterA && byte <= letterZ) || (byte >= digitZero && byte <= digitNine);
    if (!isAlphanumeric && (byte !== hyphen || at === from || at === end - 1)) return false;
  }
  return true;
}

/** True for DNS labels of any length joined by `.`, 1 to 253 characters in all. */
export function isDnsSubdomain(text: string): boolean {
  return text.length <= maxDnsSubdomainLength && text.split(".").every((part) => dnsLabel.test(part));
}
