// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { compareObjectKeys, createObjectKey, objectKeyText, parseObjectKey } from "./object-key.ts";

const web = { cluster: "prod-east", group: "", resource: "pods", namespace: "default", name: "web" };

test.each([
  ["prod-east//pods/default/web", web],
  ["prod-east//nodes//n1", { ...web, resource: "nodes", namespace: "", name: "n1" }],
  ["prod-east/apps/deployments/default/web", { ...web, group: "apps", resource: "deployments" }],
  [
    "prod-east/rbac.authorization.k8s.io/clusterroles//system:node",
    { ...web, group: "rbac.authorization.k8s.io", resource: "clusterroles", namespace: "", name: "system:node" },
  ],
])("[CO8][CO11] %s reads back as written", (text, parts) => {
  expect(createObjectKey(parts)).toEqual(parts);
  expect(objectKeyText(createObjectKey(parts))).toBe(text);
  expect(parseObjectKey(text)).toEqual(parts);
});

test("[CO5] the key of an event is the same under both groups", () => {
  const event = { ...web, resource: "events" };
  expect(createObjectKey({ ...event, group: "events.k8s.io" })).toEqual(createObjectKey(event));
});

test.each([
  [{ name: "" }, "is empty"],
  [{ name: ".." }, "relative path segment"],
  [{ name: "a/b" }, "contains /"],
  [{ name: "a%2fb" }, "contains %"],
  [{ name: "a\ud800" }, "lone surrogate"],
  [{ name: "x".repeat(1025) }, "longer than 1024 bytes"],
  [{ namespace: "Default" }, 'namespace "Default"'],
  [{ namespace: "a.b" }, 'namespace "a.b"'],
  [{ cluster: "a:b" }, "cluster id"],
  [{ resource: "pods/log" }, "resource"],
])("[CO9][CO26] %j is refused, naming the part", (part, reason) => {
  expect(() => createObjectKey({ ...web, ...part })).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
  expect(() => createObjectKey({ ...web, ...part })).toThrow(reason);
});

test("[CO9] a name of 1,024 bytes and of odd characters is a name", () => {
  for (const name of ["x".repeat(1024), "system:controller:a b", "ünï\u{1f600}"])
    expect(createObjectKey({ ...web, name }).name).toBe(name);
});

test.each(["prod-east/pods/default/web", "prod-east//pods/default/web/log", "", "/"])("[CO11] %j is no key", (text) => {
  expect(() => parseObjectKey(text)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
});

test("[CO10] keys are ordered part by part, which the order of their texts is not", () => {
  const short = createObjectKey({ ...web, namespace: "a", name: "z" });
  const long = createObjectKey({ ...web, namespace: "a-b", name: "a" });
  expect(compareObjectKeys(short, long)).toBeLessThan(0);
  expect(objectKeyText(short) < objectKeyText(long)).toBe(false);
});
