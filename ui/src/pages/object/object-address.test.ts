// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { objectKey, objectPath, parseObjectParams, stepObject, toObjectParams } from "./object-address.ts";

const pod = { cluster: "eu-1", resource: "pods", namespace: "shop", name: "api-1" };

test.each([
  [pod, { name: "eu-1", resource: "pods", _splat: "shop/api-1" }],
  [
    { ...pod, resource: "apps/deployments" },
    { name: "eu-1", resource: "deployments.apps", _splat: "shop/api-1" },
  ],
  [
    { cluster: "eu-1", resource: "rbac.authorization.k8s.io/clusterroles", namespace: "", name: "system:node:a b" },
    { name: "eu-1", resource: "clusterroles.rbac.authorization.k8s.io", _splat: "system:node:a b" },
  ],
])("[PG27] an object's address is its path and back: %j", (address, params) => {
  expect(toObjectParams(address)).toEqual(params);
  expect(parseObjectParams(params)).toEqual(address);
});

test.each(["", "/", "shop/", "/api", "a/b/c"])("[PG27] a path that ends with %j names no object", (_splat) => {
  expect(parseObjectParams({ name: "eu-1", resource: "pods", _splat })).toBeUndefined();
});

test("[PG27] j and k walk along the list, stop at its ends, and begin it where they stand beside it", () => {
  const list = ["a", "b", "c"].map((name) => ({ ...pod, name }));
  const step = (name: string, by: number): string | undefined => stepObject(list, { ...pod, name }, by)?.name;
  expect([step("a", 1), step("c", 1), step("b", -1), step("a", -1)]).toEqual(["b", "c", "a", "a"]);
  expect([step("gone", 1), step("gone", -1)]).toEqual(["a", "a"]);
  expect(stepObject([], pod, 1)).toBeUndefined();
});

test("[PG27] two objects never have one key", () => {
  expect(objectKey({ ...pod, namespace: "", name: "shop/api-1" })).not.toBe(objectKey(pod));
});

test("[PG27] the path of an object names the list beside it and can hold any character", () => {
  expect(objectPath("cluster", { ...pod, resource: "apps/deployments" })).toBe(
    "/clusters/eu-1/objects/deployments.apps/shop/api-1",
  );
  expect(objectPath("changes", { ...pod, namespace: "", name: "system:a?b#c" })).toBe(
    "/changes/objects/eu-1/pods/system%3Aa%3Fb%23c",
  );
});
