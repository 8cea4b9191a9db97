// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { dns1035LabelErrors, dnsLabelErrors, dnsSubdomainErrors, pathSegmentErrors } from "./name-rules.ts";

const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const label1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

test.each<[string, readonly string[]]>([
  ["a", []],
  ["0-a", []],
  ["a".repeat(63), []],
  ["a".repeat(64), ["must be no more than 63 characters"]],
  ["a.b", ["must not contain dots"]],
  ["a-", [label]],
  ["A", [label]],
  ["", [label]],
  ["a\n", [label]],
  ["é".repeat(32), ["must be no more than 63 characters", label]],
])("the DNS label %j", (name, errors) => {
  expect(dnsLabelErrors(name, false)).toEqual(errors);
});

test.each<[string, readonly string[]]>([
  ["a.b-c.0", []],
  ["a".repeat(253), []],
  ["a".repeat(254), ["must be no more than 253 characters"]],
  ["a..b", [subdomain]],
  ["a_b", [subdomain]],
  [".", [subdomain]],
])("the DNS subdomain %j", (name, errors) => {
  expect(dnsSubdomainErrors(name, false)).toEqual(errors);
});

test.each<[string, readonly string[]]>([
  ["a1", []],
  ["1a", [label1035]],
  ["a.b", [label1035]],
  ["a".repeat(64), ["must be no more than 63 characters"]],
])("the DNS-1035 label %j", (name, errors) => {
  expect(dns1035LabelErrors(name, false)).toEqual(errors);
});

test("a prefix may end in a dash", () => {
  for (const rule of [dnsLabelErrors, dnsSubdomainErrors, dns1035LabelErrors]) {
    expect(rule("my-app-", true)).toEqual([]);
    expect(rule("my-app-", false)).toHaveLength(1);
    expect(rule("-", true)).toHaveLength(1);
  }
});

test.each<[string, boolean, readonly string[]]>([
  ["system:node-admin", false, []],
  [".", false, ["may not be '.'"]],
  ["..", false, ["may not be '..'"]],
  ["..", true, []],
  ["a%/b", false, ["may not contain '/'", "may not contain '%'"]],
])("the path segment %j (prefix: %j)", (name, isPrefix, errors) => {
  expect(pathSegmentErrors(name, isPrefix)).toEqual(errors);
});
