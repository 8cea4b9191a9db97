// SPDX-License-Identifier: Apache-2.0
import { isIPv4, isIPv6 } from "node:net";
import { FlotillaError } from "../../base/error.ts";
import { type Der, implicit, sequence } from "./der.ts";

/**
 * Labels of letters, digits, underscores and inner hyphens; the first may be `*`; 253 characters at most (RFC 1035, RFC
 * 6125).
 */
const dnsName = /^(?=.{1,253}$)(\*\.)?[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/;

/**
 * The name as certificates contain it: lower case, IPv6 shortened and without brackets. Throws CONFIG_INVALID for text
 * that is neither a host name nor an IP address.
 */
export function parseServerName(text: string): string {
  const bare = text.startsWith("[") && text.endsWith("]") ? text.slice(1, -1) : text;
  if (isIPv4(bare)) return bare;
  if (isIPv6(bare) && !bare.includes("%")) return shortIpv6(bare);
  const lower = bare.toLowerCase();
  if (dnsName.test(lower)) return lower;
  throw new FlotillaError("CONFIG_INVALID", `"${text.slice(0, 80)}" is neither a host name nor an IP address`);
}

/** The content of a subjectAltName extension. `names` come from `parseServerName`. */
export function subjectAltNames(names: readonly string[]): Der {
  const general = names.map((name) => {
    if (isIPv4(name)) return implicit(7, Uint8Array.from(name.split("."), Number));
    if (isIPv6(name)) return implicit(7, ipv6Octets(name));
    return implicit(2, new TextEncoder().encode(name));
  });
  return sequence(...general);
}

/** The shortest form, as `URL` prints it, without dotted IPv4 at the end. */
function shortIpv6(address: string): string {
  return new URL(`http://[${address}]/`).hostname.slice(1, -1);
}

function ipv6Octets(address: string): Uint8Array {
  const [left = "", right] = shortIpv6(address).split("::");
  const leading = groupsOf(left);
  const trailing = groupsOf(right ?? "");
  const zeros = Array.from<number>({ length: 8 - leading.length - trailing.length }).fill(0);
  const octets = [...leading, ...zeros, ...trailing].flatMap((group) => [group >> 8, group & 0xff]);
  return Uint8Array.from(octets);
}

function groupsOf(text: string): number[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}
