// SPDX-License-Identifier: Apache-2.0
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { authorize } from "./authorize.ts";
import { createPolicy, Policy } from "./policy.ts";
import type { RbacObject } from "./rbac-types.ts";
import { anyObject, anyRequest, anyUser } from "./testing/arbitrary-rbac.ts";

const anyChanges = fc.array(fc.record({ object: anyObject, isDelete: fc.boolean() }), { maxLength: 30 });

function listsOf(objects: Iterable<RbacObject>) {
  const all = [...objects];
  return {
    roles: all.filter((object) => object.kind === "Role"),
    clusterRoles: all.filter((object) => object.kind === "ClusterRole"),
    roleBindings: all.filter((object) => object.kind === "RoleBinding"),
    clusterRoleBindings: all.filter((object) => object.kind === "ClusterRoleBinding"),
  };
}

test("[RB43] a policy changed object by object gives the verdicts, grants and errors of one built from what remains", () => {
  fc.assert(
    fc.property(
      anyChanges,
      fc.array(fc.tuple(anyUser, anyRequest), { minLength: 20, maxLength: 20 }),
      (changes, asked) => {
        const policy = new Policy();
        const remaining = new Map<string, RbacObject>();
        for (const { object, isDelete } of changes) {
          const key = `${object.kind}/${object.namespace}/${object.name}`;
          if (isDelete) {
            policy.delete(object);
            remaining.delete(key);
          } else {
            policy.upsert(object);
            remaining.set(key, object);
          }
        }
        const rebuilt = createPolicy(listsOf(remaining.values()));
        expect(policy.bindingCount).toBe(rebuilt.bindingCount);
        for (const [user, request] of asked) {
          expect(authorize(policy, user, request)).toEqual(authorize(rebuilt, user, request));
          expect(new Set(policy.bindingsFor(user))).toEqual(new Set(rebuilt.bindingsFor(user)));
          expect(policy.boundParts(user)).toEqual(rebuilt.boundParts(user));
        }
      },
    ),
    { numRuns: 200 },
  );
});
