// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createClusterAuthorizer } from "./authorizer-chain.ts";
import { explain } from "./explain.ts";
import { createPolicy } from "./policy.ts";
import { rbacApiGroup } from "./rbac-types.ts";
import { anyLists, anyRequest, anyUser } from "./testing/arbitrary-rbac.ts";

test("[RB46] granting what an explanation says is missing makes the same request allowed", () => {
  let refusedCount = 0;
  fc.assert(
    fc.property(anyLists, anyUser, anyRequest, (lists, user, request) => {
      const policy = createPolicy(lists);
      const authorizer = createClusterAuthorizer(policy);
      const { missing } = explain(authorizer, user, request);
      if (missing === undefined) return;
      refusedCount += 1;
      policy.upsert({ kind: "ClusterRole", namespace: "", name: "added", rules: [missing.rule] });
      const binding = {
        name: "added",
        subjects: [{ kind: "User", name: user.user, namespace: "" }],
        roleRef: { apiGroup: rbacApiGroup, kind: "ClusterRole", name: "added" },
      };
      if (missing.bindingKind === "RoleBinding") {
        policy.upsert({ kind: "RoleBinding", namespace: missing.namespace, ...binding });
      } else policy.upsert({ kind: "ClusterRoleBinding", namespace: "", ...binding });
      const after = authorizer(user, request);
      expect(after.decision).toBe("allow");
      expect(after.via?.binding.name).toBe("added");
    }),
    { numRuns: 500 },
  );
  expect(refusedCount).toBeGreaterThan(50);
});
