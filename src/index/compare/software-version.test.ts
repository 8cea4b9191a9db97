// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { compareSoftwareVersions, isSoftwareVersion } from "./software-version.ts";

test("[CM5] versions are ordered by their numbers, releases before what precedes them", () => {
  const ordered = [
    "v2.0.0",
    "1.10.0",
    "1.10.0-rc.10",
    "1.10.0-rc.2",
    "1.10.0-beta",
    "1.9.1",
    "1.9.1-alpine",
    "1.9",
    "1",
    "latest",
    "stable",
  ];
  expect(ordered.toReversed().sort(compareSoftwareVersions)).toEqual(ordered);
});

test("[CM5] the order is total and consistent", () => {
  const part = fc.constantFrom("v", "1", "2", "10", ".", "-", "rc", "alpine", "+", "x");
  const version = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(version, version, version, (a, b, c) => {
      const sign = (x: string, y: string): number => Math.sign(compareSoftwareVersions(x, y));
      expect(sign(a, b) + sign(b, a)).toBe(0);
      expect(sign(a, b) === 0).toBe(a === b);
      if (sign(a, b) <= 0 && sign(b, c) <= 0) expect(sign(a, c)).toBeLessThanOrEqual(0);
    }),
    { numRuns: 300 },
  );
});

test("[CM5] a number alone is not taken for a version", () => {
  expect(["1.2", "v1", "1.2.3-rc.1", "3", "latest", "", "1".repeat(200)].map(isSoftwareVersion)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});
