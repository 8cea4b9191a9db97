// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { parseResourceId } from "./gvr.ts";
import { isLabelKey } from "./label-name.ts";
import { fleetApiGroup, flotillaMark, idPrefixes, isIdOf, metricPrefix } from "./names.ts";

test("[CO6] our names have the forms that Kubernetes and Prometheus take", () => {
  expect(isLabelKey(flotillaMark("cluster"))).toBe(true);
  expect(flotillaMark("cluster")).toBe("flotilla.dev/cluster");
  expect(parseResourceId(`${fleetApiGroup}/clusters`).group).toBe("fleet.flotilla.dev");
  expect(`${metricPrefix}x`).toMatch(/^flotilla_[a-z]/);
});

test("[CO7] an id is known by its prefix, and no prefix is used twice", () => {
  expect(isIdOf("deployment", `dep_${"0a".repeat(10)}`)).toBe(true);
  for (const bad of [
    `dep_${"a".repeat(15)}`,
    `dep_${"a".repeat(41)}`,
    `dep_${"A".repeat(20)}`,
    `tok_${"a".repeat(20)}`,
    "dep_",
    "",
  ])
    expect(isIdOf("deployment", bad)).toBe(false);
  expect(new Set(Object.values(idPrefixes)).size).toBe(Object.values(idPrefixes).length);
});
