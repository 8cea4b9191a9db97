// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { nearReasonOf, nearReasonOfHost } from "./local-address.ts";

const octet = fc.integer({ min: 0, max: 255 });
const octets = fc.tuple(octet, octet, octet, octet);
type Octets = [number, number, number, number];

const valueOf = ([a, b, c, d]: Octets): number => ((a * 256 + b) * 256 + c) * 256 + d;
const groupsOf = ([a, b, c, d]: Octets): string => `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;

/** The ways in which a URL can spell one IPv4 address. */
const spellings: readonly ((address: Octets) => string)[] = [
  (address) => address.join("."),
  (address) => `${address.join(".")}.`,
  (address) => String(valueOf(address)),
  (address) => `0x${valueOf(address).toString(16)}`,
  (address) => `0${valueOf(address).toString(8)}`,
  (address) => address.map((each) => `0x${each.toString(16)}`).join("."),
  (address) => address.map((each) => `0${each.toString(8)}`).join("."),
  ([a, ...rest]) => `${a}.${valueOf([0, ...rest] as Octets)}`,
  (address) => `[::ffff:${address.join(".")}]`,
  (address) => `[::ffff:${groupsOf(address)}]`,
  (address) => `[64:ff9b::${groupsOf(address)}]`,
  (address) => `[2002:${groupsOf(address)}::1]`,
];

function isNear([a, b]: Octets): boolean {
  return a === 127 || a === 0 || (a === 169 && b === 254);
}

test("[KU7] an IPv4 address is judged the same however it is spelled", () => {
  const nearby = fc.oneof(
    fc.tuple(fc.constantFrom(0, 127), octet, octet, octet),
    fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
  );
  fc.assert(
    fc.property(fc.oneof(octets, nearby), fc.constantFrom(...spellings), (address, spell) => {
      const { hostname } = new URL(`https://${spell(address)}/`);
      expect(nearReasonOfHost(hostname) !== undefined).toBe(isNear(address));
    }),
    { numRuns: 500 },
  );
});

test("whatever text is asked about, there is an answer", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.ipV6(), fc.ipV4Extended()), (text) => {
      expect([undefined, "loopback", "link-local", "unspecified"]).toContain(nearReasonOf(text));
    }),
  );
});
