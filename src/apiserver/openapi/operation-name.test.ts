// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { operationGroup, operationId, operationTag } from "./operation-name.ts";

test.each([
  ["", "v1", "CoreV1", "core_v1"],
  ["apps", "v1", "AppsV1", "apps_v1"],
  ["rbac.authorization.k8s.io", "v1", "RbacAuthorizationV1", "rbacAuthorization_v1"],
  ["stable.example.com", "v1beta1", "StableExampleComV1beta1", "stableExampleCom_v1beta1"],
])("[AP32] group %s and version %s in names of operations", (group, version, groupVersion, tag) => {
  expect(operationGroup(group, version)).toBe(groupVersion);
  expect(operationTag(groupVersion)).toBe(tag);
});

test("[AP32] names of operations are those that clients were generated with", () => {
  const pod = { groupVersion: "CoreV1", scope: "Namespaced", kind: "Pod" };
  expect(operationId({ ...pod, action: "get" })).toBe("readCoreV1NamespacedPod");
  expect(operationId({ ...pod, action: "deletecollection" })).toBe("deleteCoreV1CollectionNamespacedPod");
  expect(operationId({ ...pod, action: "put", suffix: "Status" })).toBe("replaceCoreV1NamespacedPodStatus");
  expect(operationId({ ...pod, scope: "", action: "list", suffix: "ForAllNamespaces" })).toBe(
    "listCoreV1PodForAllNamespaces",
  );
});
