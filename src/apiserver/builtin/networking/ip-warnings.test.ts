// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { parseIp } from "../pod-spec/ip-address.ts";
import { formatIp, isStrictSubset, parseCidr } from "./ip-text.ts";
import { cidrWarnings, ipWarnings } from "./ip-warnings.ts";

test.each([
  ["10.0.0.1", "10.0.0.1"],
  ["010.0.0.1", "10.0.0.1"],
  ["2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
  ["0:0:0:0:0:0:0:0", "::"],
  ["1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"],
  ["::ffff:1.2.3.4", "1.2.3.4"],
])("%s is written %s", (text, expected) => {
  const ip = parseIp(text);
  expect(ip && formatIp(ip)).toBe(expected);
});

test.each([
  ["10.1.0.0/16", "10.0.0.0/8", true],
  ["10.0.0.0/8", "10.0.0.0/8", false],
  ["11.0.0.0/16", "10.0.0.0/8", false],
  ["2001:db8:1::/48", "2001:db8::/32", true],
  ["2001:db8:1::/48", "0.0.0.0/0", false],
])("%s within %s: %s", (inner, outer, expected) => {
  expect(isStrictSubset(parseCidr(inner)!, parseCidr(outer)!)).toBe(expected);
});

test.each(["10.0.0.0", "10.0.0.0/33", "x/8", "10.0.0.0/8/8", "::/129"])("%s is no range", (text) => {
  expect(parseCidr(text)).toBeUndefined();
});

test.each([
  ["10.0.0.1", []],
  ["1.2.3.04", ['f: non-standard IP address "1.2.3.04" is invalid: use "1.2.3.4"']],
  ["2001:DB8::1", ['f: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")']],
])("the address %s is warned of as %j", (text, warnings) => {
  expect(ipWarnings("f", text)).toEqual(warnings);
});

test.each([
  ["10.0.0.0/8", []],
  [
    "10.0.0.1/8",
    ['f: CIDR value "10.0.0.1/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)'],
  ],
  ["2001:DB8::/32", ['f: IPv6 CIDR value "2001:DB8::/32" should be in RFC 5952 canonical format ("2001:db8::/32")']],
])("the range %s is warned of as %j", (text, warnings) => {
  expect(cidrWarnings("f", text)).toEqual(warnings);
});
