// SPDX-License-Identifier: Apache-2.0

/**
 * The network that one sender commonly holds: an IPv4 address, or the first half of an IPv6 one, since a whole /64 is usually one
 * machine's. Limits by sender count by this. What is no address is itself.
 */
export function senderNetworkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped !== null) return mapped[1] ?? address;
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.split("::");
  const groups = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - groups.length - after.length) }, () => "0");
  return [...groups, ...zeros, ...after].slice(0, 4).join(":");
}
