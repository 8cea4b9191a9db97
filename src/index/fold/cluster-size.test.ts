// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { faultOfGrowth } from "./cluster-size.ts";

const limits = { rowCount: 10, kindCount: 2, bytes: 1_000 };
const size = { rowCount: 10, kindCount: 2, bytes: 1_000 };

describe("the limits of a cluster", () => {
  test("[SE57] up to a limit it may grow, beyond it the sentence names what is too much and the option", () => {
    expect(faultOfGrowth({ rowCount: 0, kindCount: 0, bytes: 0 }, size, limits)).toBeUndefined();
    expect(faultOfGrowth(size, { ...size, rowCount: 11 }, limits)).toBe(
      "the cluster would have 11 rows, the most is 10; collect less, or raise --max-cluster-rows of the hub",
    );
    expect(faultOfGrowth(size, { ...size, kindCount: 3 }, limits)).toContain("--max-cluster-kinds");
    expect(faultOfGrowth(size, { ...size, bytes: 1_001 }, limits)).toContain("--max-cluster-size");
  });

  test("[SE57] a limit that was lowered lets objects change and go", () => {
    const over = { rowCount: 50, kindCount: 9, bytes: 9_000 };
    expect(faultOfGrowth(over, over, limits)).toBeUndefined();
    expect(faultOfGrowth(over, { ...over, rowCount: 49 }, limits)).toBeUndefined();
    expect(faultOfGrowth(over, { ...over, rowCount: 51 }, limits)).toContain("51 rows");
  });
});
