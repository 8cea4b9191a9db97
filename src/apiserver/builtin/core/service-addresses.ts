// SPDX-License-Identifier: Apache-2.0
// Cluster addresses of Services: drawn from one IPv4 range, each in use by one Service at most.

import { assert } from "../../../base/assert.ts";
import type { Random } from "../../../base/random.ts";
import type { JsonObject } from "../../json/json.ts";
import { parseIp } from "../pod-spec/ip-address.ts";
import { textsAt } from "../pod-spec/pod-spec-fields.ts";

/** Addresses `first` to `last` may be given out; `text` is the range as it is written. */
export interface AddressRange {
  readonly text: string;
  readonly first: number;
  readonly last: number;
  /** Where addresses that nobody asked for begin: those below are left to people who choose them. */
  readonly firstDynamic: number;
}

/** How many addresses at the beginning are left to people who choose them: a sixteenth, but 16 to 256 (KEP-3070). */
const minChosenCount = 16;
const maxChosenCount = 256;

/** Draws before the range is searched from its beginning: with half of it in use, ten draws fail once in a thousand times. */
const drawCount = 10;

/** The range of a CIDR text, without its network and broadcast addresses. */
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

/** Addresses that these Services have. */
export function usedAddresses(services: readonly JsonObject[]): ReadonlySet<string> {
  return new Set(services.flatMap((service) => textsAt(service, "spec", "clusterIPs")));
}

/** A free address; undefined when there is none. */
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

/** Why an address cannot be had; undefined when it can. The real server has other words for a dry run. */
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
