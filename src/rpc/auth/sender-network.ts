// SPDX-License-Identifier: Apache-2.0

/**
 * The network that usually belongs to one sender: an IPv4 address, or the /64 of an IPv6 address, which is usually one
 * machine. Limits per sender count by it. Text that is not an address is returned unchanged.
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
