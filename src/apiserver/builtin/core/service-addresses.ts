// SPDX-License-Identifier: Apache-2.0
// Cluster IPs of Services. They come from one IPv4 range; at most one Service uses each.

import { assert } from "../../../base/assert.ts";
import type { Random } from "../../../base/random.ts";
import { type JsonObject } from "../../json/json.ts";
import { textsAt } from "../../json/json-fields.ts";
import { parseIp } from "../pod-spec/ip-address.ts";

/** Addresses `first` to `last` can be allocated. `text` is the range as configured. */
export interface AddressRange {
  readonly text: string;
  readonly first: number;
  readonly last: number;
  /** Dynamic allocation starts here. Addresses below are preferably left for Services that request a specific one. */
  readonly firstDynamic: number;
}

/**
 * Bounds for the number of addresses left for specific requests: a sixteenth of the range, but 16 to 256 (KEP-3070).
 */
const minChosenCount = 16;
const maxChosenCount = 256;

/** Random draws before a linear search. With half of the range in use, ten draws fail once in a thousand times. */
const drawCount = 10;

/** Parses a CIDR of IPv4 addresses, /8 to /30. Network and broadcast address are excluded. */
export function parseAddressRange(text: string): AddressRange {
  const [address = "", prefixText = ""] = text.split("/");
  const prefix = Number(prefixText);
  const base = toNumber(address);
  assert(base !== undefined && prefix >= 8 && prefix <= 30, `not a range of IPv4 addresses: ${text}`);
  const size = 2 ** (32 - prefix);
  const chosenCount = Math.min(Math.max(minChosenCount, Math.floor(size / 16)), maxChosenCount);
  const first = base + 1;
  const last = base + size - 2;
  return { text, first, last, firstDynamic: Math.min(first + chosenCount, last) };
}

/** The cluster IPs of these Services. */
export function usedAddresses(services: readonly JsonObject[]): ReadonlySet<string> {
  return new Set(services.flatMap((service) => textsAt(service, "spec", "clusterIPs")));
}

/** A random free address; undefined if none is free. */
export function drawAddress(range: AddressRange, used: ReadonlySet<string>, random: Random): string | undefined {
  for (let draw = 0; draw < drawCount; draw += 1) {
    const address = toText(range.firstDynamic + random.int(range.last - range.firstDynamic + 1));
    if (!used.has(address)) return address;
  }
  const search = (from: number, to: number): string | undefined => {
    for (let address = from; address <= to; address += 1) if (!used.has(toText(address))) return toText(address);
    return undefined;
  };
  return search(range.firstDynamic, range.last) ?? search(range.first, range.firstDynamic - 1);
}

/** Why the address cannot be allocated; undefined if it can. kube-apiserver's message is different for a dry run. */
export function addressError(
  range: AddressRange,
  used: ReadonlySet<string>,
  address: string,
  isDryRun: boolean,
): string | undefined {
  const value = toNumber(address);
  if (value === undefined || value < range.first || value > range.last)
    return isDryRun
      ? `the provided IP (${address}) is not in the valid range. The range of valid IPs is ${range.text}`
      : "the provided network does not match the current range";
  return used.has(toText(value)) ? "provided IP is already allocated" : undefined;
}

function toNumber(text: string): number | undefined {
  const ip = parseIp(text);
  if (ip?.bytes.length !== 4) return undefined;
  return ip.bytes.reduce((sum, byte) => sum * 256 + byte, 0);
}

function toText(value: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".");
}
