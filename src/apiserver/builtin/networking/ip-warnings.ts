// SPDX-License-Identifier: Apache-2.0
import { parseIp } from "../pod-spec/ip-address.ts";
import { formatIp, parseCidr } from "./ip-text.ts";

/** Warnings about a valid address that is not in canonical form. */
export function ipWarnings(field: string, text: string): readonly string[] {
  const ip = parseIp(text);
  if (ip === undefined) return [];
  const shown = JSON.stringify(formatIp(ip));
  if (ip.hasLeadingZeros || ip.isMapped)
    return [`${field}: non-standard IP address ${JSON.stringify(text)} is invalid: use ${shown}`];
  if (ip.family === "IPv4" || formatIp(ip) === text) return [];
  return [`${field}: IPv6 address ${JSON.stringify(text)} should be in RFC 5952 canonical format (${shown})`];
}

/** Warnings about a valid CIDR that is ambiguous or not in canonical form. */
export function cidrWarnings(field: string, text: string): readonly string[] {
  const cidr = parseCidr(text);
  if (cidr === undefined) return [];
  const { ip, network, prefixLength, hasLeadingZeros } = cidr;
  const quoted = JSON.stringify(text);
  const range = JSON.stringify(`${formatIp(network)}/${prefixLength}`);
  const warnings: string[] = [];
  if (formatIp(ip) !== formatIp(network)) {
    const single = JSON.stringify(`${formatIp(ip)}/${ip.family === "IPv4" ? 32 : 128}`);
    warnings.push(`${field}: CIDR value ${quoted} is ambiguous in this context (should be ${range} or ${single}?)`);
  }
  if (hasLeadingZeros || ip.isMapped)
    warnings.push(`${field}: non-standard CIDR value ${quoted} is invalid: use ${range}`);
  if (warnings.length > 0 || ip.family === "IPv4" || JSON.stringify(text) === range) return warnings;
  return [`${field}: IPv6 CIDR value ${quoted} should be in RFC 5952 canonical format (${range})`];
}
