// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { assertClusterLabels } from "./cluster-labels.ts";

const many = (count: number): Map<string, string> => new Map(Array.from({ length: count }, (_, at) => [`k${at}`, "v"]));

test("[RP53] labels have the bounds of Kubernetes, and their number has one too", () => {
  expect(() => assertClusterLabels(many(64))).not.toThrow();
  expect(() => assertClusterLabels(new Map([[`${"a".repeat(253)}/${"n".repeat(63)}`, "v".repeat(63)]]))).not.toThrow();
  expect(() => assertClusterLabels(many(65))).toThrow("a cluster has at most 64 labels, not 65; remove some");
  for (const [key, value] of [
    ["n".repeat(64), ""],
    [`${"a".repeat(254)}/n`, ""],
    ["a b", ""],
    ["k", "v".repeat(64)],
    ["k", "two words"],
    ["k", "\u202e"],
  ] as const) {
    expect(() => assertClusterLabels(new Map([[key, value]])), `${key}=${value}`).toThrow(
      expect.objectContaining({ code: "INVALID_ARGUMENT" }),
    );
  }
});
