// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { utf8ByteCount } from "../../model/text.ts";
import { normaliseMessage } from "./normalise-message.ts";

test.each([
  ["0 of 3 replicas are available", "<n> of <n> replicas are available"],
  ['secret "db-password" not found', "secret <name> not found"],
  [
    "back-off 5m0s restarting failed container=web pod=web-7c9d8b6f5-x2x4z_shop(6f1a1c5e-6c0e-4e0f-9d0c-2f6f0c0f0a01)",
    "back-off <duration> restarting failed container=web pod=web-<hash>_shop(<uid>)",
  ],
  ["back-off 40s restarting", "back-off <duration> restarting"],
  ["back-off 1m20s restarting", "back-off <duration> restarting"],
  ["dial tcp 10.1.0.7:5432: connect: connection refused", "dial tcp <ip>: connect: connection refused"],
  ["dial tcp [fd00::7]:5432: i/o timeout", "dial tcp <ip>: i/o timeout"],
  ["lookup db.shop.svc on 10.96.0.10:53: no such host", "lookup db.shop.svc on <ip>: no such host"],
  ["expired at 2026-01-05T10:00:00Z, now 10:02:33", "expired at <time>, now <time>"],
  [`image shop/api@sha256:${"ab12".repeat(16)} is not signed`, "image shop/api@<digest> is not signed"],
  ["pod fluentd-x2x4z is gone", "pod fluentd-<hash> is gone"],
  ["applied revision main@sha1:3f2a9c1d failed", "applied revision main@sha<n>:<hash> failed"],
  ["requires 12.5Gi, has 3", "requires <n>Gi, has <n>"],
  ["  two\n\twords ", "two words"],
])("[PB4] %s", (message, expected) => {
  expect(normaliseMessage(message)).toBe(expected);
});

test("[PB4] a normalised message is short, has no digits, and stays as it is when normalised again", () => {
  const part = fc.constantFrom(
    "10.0.0.1",
    "5m0s",
    "web-7c9d8b6f5-x2x4z",
    '"a b"',
    '"x"',
    " ",
    "é",
    "[",
    "::",
    "-",
    "42",
  );
  const text = fc.oneof(
    fc.string({ maxLength: 60 }),
    fc.array(part, { maxLength: 80 }).map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(text, (message) => {
      const normalised = normaliseMessage(message);
      expect(utf8ByteCount(normalised)).toBeLessThanOrEqual(256);
      expect(normalised).not.toMatch(/[0-9]/);
      expect(normaliseMessage(normalised)).toBe(normalised);
    }),
    { numRuns: 150 },
  );
});

test("[PB4] [L14] a hostile message costs no more than its length", () => {
  for (const unit of ["1", "1.", "1:", "a:", "-b", "a-", "'", "1s", "0-", '\\"']) {
    const normalised = normaliseMessage(unit.repeat(50_000));
    expect(utf8ByteCount(normalised)).toBeLessThanOrEqual(256);
  }
});
