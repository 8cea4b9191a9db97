// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { createSubject } from "../model/subject.ts";
import { grantContent } from "./grant-content.ts";
import { collectGrantScopes } from "./grant-scopes.ts";
import { Policy } from "./policy.ts";
import type { RbacObject } from "./rbac-types.ts";
import { clusterRole, clusterRoleBinding, readPods, role, roleBinding } from "./testing/rbac-objects.ts";

const alice = createSubject({ user: "alice", groups: ["team"] });
const writePods = { ...readPods, verbs: ["get", "list", "watch", "update"] };

const objects: readonly RbacObject[] = [
  role("shop", "reader", readPods),
  role("pay", "reader", readPods),
  role("pay", "writer", writePods),
  clusterRole("all", readPods),
  roleBinding("shop", "readers", "Role/reader", "User:alice"),
  roleBinding("pay", "readers", "Role/reader", "Group:team"),
  roleBinding("pay", "writers", "Role/writer", "User:alice"),
  clusterRoleBinding("all", "ClusterRole/all", "User:bob"),
];

function contentOf(all: readonly RbacObject[], user = alice): string {
  const policy = new Policy();
  for (const object of all) policy.upsert(object);
  return grantContent(collectGrantScopes(policy, user));
}

test("[SQ18] the content of grants depends neither on the order of RBAC objects nor on the names of roles and bindings", () => {
  const content = contentOf(objects);
  expect(contentOf(objects.toReversed())).toBe(content);
  const renamed = [
    ...objects.filter(({ name, namespace }) => namespace !== "shop" || !name.startsWith("reader")),
    role("shop", "another", readPods),
    roleBinding("shop", "others", "Role/another", "Group:team"),
  ];
  expect(contentOf(renamed)).toBe(content);
  expect(contentOf([...objects, roleBinding("shop", "of-bob", "Role/reader", "User:bob")])).toBe(content);
});

test.each<[string, readonly RbacObject[]]>([
  ["a binding is gone", objects.filter(({ name }) => name !== "writers")],
  ["a role is gone", objects.filter(({ name, namespace }) => name !== "reader" || namespace !== "pay")],
  ["a rule has another verb", [...objects, role("shop", "reader", { ...readPods, verbs: ["get"] })]],
  ["a rule has a name", [...objects, role("shop", "reader", { ...readPods, resourceNames: ["web"] })]],
  [
    "roles have changed their namespaces",
    [...objects, role("pay", "writer", readPods), role("shop", "reader", writePods)],
  ],
  ["a binding of the whole cluster comes", [...objects, clusterRoleBinding("more", "ClusterRole/all", "Group:team")]],
  [
    "a binding in another namespace comes",
    [...objects, roleBinding("dev", "readers", "ClusterRole/all", "User:alice")],
  ],
])("[SQ18] the content of grants is another one after %s", (_what, changed) => {
  expect(contentOf(changed)).not.toBe(contentOf(objects));
});

test("[SQ18] members of system:masters have a content of their own", () => {
  expect(contentOf(objects, createSubject({ user: "root", groups: ["system:masters"] }))).not.toBe(
    contentOf([], createSubject({ user: "root" })),
  );
});
