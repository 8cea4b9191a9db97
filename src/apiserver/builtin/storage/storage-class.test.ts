// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { csiDriverStrategy } from "./csi-driver.ts";
import { storageClassStrategy } from "./storage-class.ts";

test("a class with too many parameters, or too long ones, is refused", () => {
  const many = Object.fromEntries(Array.from({ length: 513 }, (_, index) => [`k${index}`, "v"]));
  const long = { a: "x".repeat(256 * 1024) };
  for (const [parameters, limit] of [
    [many, 512],
    [long, 262_144],
  ] as const)
    expect(storageClassStrategy.validate?.({ provisioner: "a", volumeBindingMode: "Immediate", parameters })).toEqual([
      { field: "parameters", reason: "FieldValueTooLong", text: `Too long: may not be more than ${limit} bytes` },
    ]);
});

test("places named by labels of old are warned of", () => {
  const key = "failure-domain.beta.kubernetes.io/zone";
  const object = { allowedTopologies: [{ matchLabelExpressions: [{ key, values: ["a"] }] }] };
  expect(storageClassStrategy.warnings?.(object, undefined)).toEqual([
    'allowedTopologies[0].matchLabelExpressions[0].key: deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  ]);
});

test("tokens that a driver may log are warned of when they are asked for", () => {
  const object = { spec: { tokenRequests: [{ audience: "a" }] } };
  expect(csiDriverStrategy.warnings?.(object, undefined)).toHaveLength(1);
  expect(csiDriverStrategy.warnings?.(object, object)).toEqual([]);
});
