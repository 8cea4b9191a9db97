// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { hasCode } from "./error.ts";
import { parseByteSize, parseDurationMs } from "./units.ts";

describe("durations", () => {
  test.each([
    ["250ms", 250],
    ["30s", 30_000],
    ["5m", 300_000],
    ["1m30s", 90_000],
    ["24h", 86_400_000],
    ["7d", 604_800_000],
    ["1d2h3m4s5ms", 93_784_005],
    ["90s", 90_000],
    ["0s", 0],
  ])("%s is %d ms", (text, durationMs) => {
    expect(parseDurationMs(text)).toBe(durationMs);
  });

  test.each([
    "",
    "30",
    "s",
    "1.5s",
    "-1s",
    "+1s",
    " 1s",
    "1s ",
    "1 s",
    "1s1m",
    "1s1s",
    "1S",
    "1w",
    "1ms5",
    "1s\n",
    "٣s",
    "1e3s",
  ])("%j is refused", (text) => {
    expect(() => parseDurationMs(text)).toThrow(
      `${JSON.stringify(text)} is not a duration: write whole numbers with units, such as 250ms, 30s, 1m30s, 24h or 7d`,
    );
  });
});

describe("sizes", () => {
  test.each([
    ["4MB", 4_000_000],
    ["512KiB", 524_288],
    ["1GiB", 1_073_741_824],
    ["2TB", 2e12],
    ["100B", 100],
    ["100", 100],
    ["0", 0],
  ])("%s is %d bytes", (text, sizeBytes) => {
    expect(parseByteSize(text)).toBe(sizeBytes);
  });

  test.each(["", "MB", "4 MB", "4mb", "4M", "4Mi", "4iB", "1.5MB", "-1", "4MBx", "4MB\n", "0x10", "1e3"])(
    "%j is refused",
    (text) => {
      expect(() => parseByteSize(text)).toThrow(
        `${JSON.stringify(text)} is not a size: write a whole number and a unit, such as 4MB, 512KiB, 1GiB or 100B`,
      );
    },
  );
});

test.each([parseDurationMs, parseByteSize])("hostile text is refused in one short sentence", (parse) => {
  for (const text of ["9".repeat(1_000_000), `${"9".repeat(16)}TiB`, `${"9".repeat(16)}d`]) {
    expect(() => parse(text)).toThrow(
      expect.toSatisfy((error) => hasCode(error, "INVALID_ARGUMENT") && error.message.length < 200),
    );
  }
});
