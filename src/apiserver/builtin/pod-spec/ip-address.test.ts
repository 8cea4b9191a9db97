// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { parseIp, validateCidr, validateIp } from "./ip-address.ts";

test.for(["10.9.8.7", "0.0.0.0", "::", "::1", "2001:db8::ffff", "1:2:3:4:5:6:7:8", "64:ff9b::1.2.3.4", "FE80::ABC"])(
  "%s is an address",
  (text) => {
    expect(validateIp("f", text)).toEqual([]);
  },
);

test.for([
  "",
  "1.2.3",
  "1.2.3.256",
  "1.2.3.4.5",
  ":::",
  "1::2::3",
  "1:2:3:4:5:6:7",
  "1:2:3:4:5:6:7:8:9",
  "fe80::1%eth0",
  "x",
])("%j is none", (text) => {
  expect(parseIp(text)).toBeUndefined();
});

test("doubtful forms are refused in their own words", () => {
  expect([validateIp("f", "010.0.0.1"), validateIp("f", "::ffff:1.2.3.4")].flat().map(({ text }) => text)).toEqual([
    'Invalid value: "010.0.0.1": must not have leading 0s',
    'Invalid value: "::ffff:1.2.3.4": must not be an IPv4-mapped IPv6 address',
  ]);
});

test.for<[string, string]>([
  ["10.0.0.0/33", "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"],
  ["10.0.0.0", "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"],
  ["10.0.0.1/24", "must not have bits set beyond the prefix length"],
  ["10.0.0.0/08", "must not have leading 0s in IP or prefix length"],
])("%s is no range: %s", ([text, detail]) => {
  expect(validateCidr("f", text)[0]?.text).toBe(`Invalid value: ${JSON.stringify(text)}: ${detail}`);
});

test.for(["0.0.0.0/0", "10.1.2.0/23", "2001:db8::/64", "1.2.3.4/32"])("%s is a range", (text) => {
  expect(validateCidr("f", text)).toEqual([]);
});
