// SPDX-License-Identifier: Apache-2.0
// Addresses of this machine or its link. Input from others must not make this process connect to them (KU7).
import { BlockList, isIPv4, isIPv6 } from "node:net";

/** Why an address is refused for imported kubeconfigs. */
export type NearReason = "loopback" | "link-local" | "unspecified";

const near: readonly (readonly [NearReason, BlockList])[] = [
  ["loopback", blocks(["127.0.0.0", 8, "ipv4"], ["::1", 128, "ipv6"])],
  ["link-local", blocks(["169.254.0.0", 16, "ipv4"], ["fe80::", 10, "ipv6"])],
  // The whole "this host on this network" block (RFC 791): some systems treat any of its addresses as the machine
  // itself.
  ["unspecified", blocks(["0.0.0.0", 8, "ipv4"], ["::", 128, "ipv6"])],
];

function blocks(...ranges: readonly (readonly [string, number, "ipv4" | "ipv6"])[]): BlockList {
  const list = new BlockList();
  for (const [address, prefix, family] of ranges) list.addSubnet(address, prefix, family);
  return list;
}

/**
 * Why `address` is near, including IPv4 addresses embedded in IPv6; undefined for other addresses and for text that is
 * not an address.
 */
export function nearReasonOf(address: string): NearReason | undefined {
  const bare = address.replace(/%.*$/, "");
  if (isIPv4(bare)) return reasonIn(bare, "ipv4");
  if (!isIPv6(bare)) return undefined;
  const wrapped = wrappedIpv4(bare);
  return reasonIn(bare, "ipv6") ?? (wrapped === undefined ? undefined : reasonIn(wrapped, "ipv4"));
}

function reasonIn(address: string, family: "ipv4" | "ipv6"): NearReason | undefined {
  return near.find(([, list]) => list.check(address, family))?.[0];
}

/**
 * The embedded IPv4 address: mapped (::ffff:0:0/96), compatible (::/96), NAT64 (64:ff9b::/96, 64:ff9b:1::/48 in its
 * last 32 bits) or 6to4 (2002::/16).
 */
function wrappedIpv4(address: string): string | undefined {
  const groups = groupsOf(address);
  const [first = 0, second = 0, third = 0] = groups;
  const isZero = (from: number, to: number): boolean => groups.slice(from, to).every((group) => group === 0);
  if (first === 0x2002) return dotted(second, third);
  const isMapped = isZero(0, 5) && groups[5] === 0xffff;
  const isTranslated = first === 0x64 && second === 0xff9b;
  if (isMapped || isZero(0, 6) || isTranslated) return dotted(groups[6] ?? 0, groups[7] ?? 0);
  return undefined;
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join(".");
}

/** The eight groups. `URL` normalizes an address without dotted IPv4 at its end. */
function groupsOf(address: string): number[] {
  const [left = "", right] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split("::");
  const leading = left === "" ? [] : left.split(":");
  const trailing = right === undefined || right === "" ? [] : right.split(":");
  const zeros = Array.from({ length: 8 - leading.length - trailing.length }, () => "0");
  return [...leading, ...zeros, ...trailing].map((group) => Number.parseInt(group, 16));
}

/** Names that always mean this machine (RFC 6761), and those that distributions put into /etc/hosts. */
const localNames =
  /^(?:.+\.)?(?:localhost|localhost\.localdomain|localhost[46]|ip6-localhost|ip6-loopback|localdomain)$/;

/** Why a URL's host, as `new URL` writes it, is near. `new URL` normalizes IPv4 addresses in decimal, octal and hex. */
export function nearReasonOfHost(hostname: string): NearReason | undefined {
  const bare = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname.replace(/\.+$/, "").toLowerCase();
  return localNames.test(bare) ? "loopback" : nearReasonOf(bare);
}
