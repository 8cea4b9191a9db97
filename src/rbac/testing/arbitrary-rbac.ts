// SPDX-License-Identifier: Apache-2.0
// Random policies and requests over tiny alphabets, so that requests often match grants.
import * as fc from "fast-check";
import type { Subject } from "../../model/subject.ts";
import type { RequestAttributes } from "../attributes.ts";
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  RbacObject,
  RbacSubject,
  Role,
  RoleBinding,
  RoleRef,
} from "../rbac-types.ts";

/** The four lists of a policy, as arrays that the naive evaluator can scan. */
export interface RbacLists {
  readonly roles: readonly Role[];
  readonly clusterRoles: readonly ClusterRole[];
  readonly roleBindings: readonly RoleBinding[];
  readonly clusterRoleBindings: readonly ClusterRoleBinding[];
}

const namespaces = ["n", "m"];
const objectNames = ["a", "b", "n", "*", ""];
const roleNames = ["r", "s"];
const resources = ["p", "q", "namespaces"];

/** Up to `maxLength` words, rarely none. */
function some<T>(alphabet: readonly T[], maxLength: number): fc.Arbitrary<T[]> {
  const filled = fc.array(fc.constantFrom(...alphabet), { minLength: 1, maxLength, size: "max" });
  const none = fc.constant<T[]>([]);
  return fc.oneof({ weight: 9, arbitrary: filled }, { weight: 1, arbitrary: none });
}

const resourceRule: fc.Arbitrary<PolicyRule> = fc.record({
  verbs: some(["get", "list", "watch", "*", "*", "Get"], 4),
  apiGroups: some(["", "x", "*"], 4),
  resources: some(["p", "q", "p/l", "*/l", "p/*", "*", "*", "namespaces"], 4),
  resourceNames: fc.oneof(
    { weight: 2, arbitrary: fc.constant<string[]>([]) },
    { weight: 1, arbitrary: some(objectNames, 2) },
  ),
  nonResourceURLs: fc.constant([]),
});

const urlRule: fc.Arbitrary<PolicyRule> = fc.record({
  verbs: some(["get", "list", "*"], 2),
  apiGroups: fc.constant([]),
  resources: fc.constant([]),
  resourceNames: fc.constant([]),
  nonResourceURLs: some(["*", "/f", "/f*", "/f/*", "/f/**", "/"], 2),
});

const mixedRule: fc.Arbitrary<PolicyRule> = fc
  .tuple(resourceRule, urlRule)
  .map(([{ verbs, apiGroups, resources, resourceNames }, { nonResourceURLs }]) => {
    return { verbs, apiGroups, resources, resourceNames, nonResourceURLs };
  });

/** Mostly a rule for resources, sometimes for URLs, rarely for both. */
export const anyRule: fc.Arbitrary<PolicyRule> = fc.oneof(
  { weight: 6, arbitrary: resourceRule },
  { weight: 2, arbitrary: urlRule },
  { weight: 1, arbitrary: mixedRule },
);

const anySubject: fc.Arbitrary<RbacSubject> = fc.record({
  kind: fc.constantFrom("User", "User", "Group", "Group", "ServiceAccount", "Robot"),
  name: fc.constantFrom("a", "a", "b", "b", "*", "system:serviceaccount:n:a"),
  namespace: fc.constantFrom("", ...namespaces),
});

const anyRoleRef: fc.Arbitrary<RoleRef> = fc.record({
  apiGroup: fc.constantFrom("rbac.authorization.k8s.io", "elsewhere"),
  kind: fc.constantFrom("Role", "Role", "ClusterRole", "ClusterRole", "ClusterRole", "Cluster"),
  name: fc.constantFrom(...roleNames, ...roleNames, "missing"),
});

const anyRules = fc.array(anyRule, { minLength: 1, maxLength: 4, size: "max" });
const rules = fc.oneof({ weight: 9, arbitrary: anyRules }, { weight: 1, arbitrary: fc.constant<PolicyRule[]>([]) });
const subjects = fc.array(anySubject, { minLength: 1, maxLength: 4, size: "max" });
const bindingName = fc.constantFrom("b1", "b2", "b3");

const anyRole = fc.record({
  kind: fc.constant("Role" as const),
  namespace: fc.constantFrom(...namespaces),
  name: fc.constantFrom(...roleNames),
  rules,
});
const anyClusterRole = fc.record({
  kind: fc.constant("ClusterRole" as const),
  namespace: fc.constant("" as const),
  name: fc.constantFrom(...roleNames),
  rules,
});
const anyRoleBinding = fc.record({
  kind: fc.constant("RoleBinding" as const),
  namespace: fc.constantFrom(...namespaces),
  name: bindingName,
  subjects,
  roleRef: anyRoleRef,
});
const anyClusterRoleBinding = fc.record({
  kind: fc.constant("ClusterRoleBinding" as const),
  namespace: fc.constant("" as const),
  name: bindingName,
  subjects,
  roleRef: anyRoleRef,
});

/** Any one object. */
export const anyObject: fc.Arbitrary<RbacObject> = fc.oneof(
  anyRole,
  anyClusterRole,
  anyRoleBinding,
  anyClusterRoleBinding,
);

function unique<T extends { readonly namespace: string; readonly name: string }>(
  of: fc.Arbitrary<T>,
  maxLength: number,
) {
  return fc.uniqueArray(of, { maxLength, size: "max", selector: (each) => `${each.namespace}/${each.name}` });
}

/** A whole policy; no two objects of a list have the same key. */
export const anyLists: fc.Arbitrary<RbacLists> = fc.record({
  roles: unique(anyRole, 4),
  clusterRoles: unique(anyClusterRole, 3),
  roleBindings: unique(anyRoleBinding, 6),
  clusterRoleBindings: unique(anyClusterRoleBinding, 3),
});

/** A user with names that subjects also have. */
export const anyUser: fc.Arbitrary<Subject> = fc.record({
  user: fc.constantFrom("a", "a", "b", "b", "system:serviceaccount:n:a", "system:serviceaccount:m:b"),
  groups: some(["a", "b"], 2),
});

/** A request with words that rules also have. */
export const anyRequest: fc.Arbitrary<RequestAttributes> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("resource" as const),
      verb: fc.constantFrom("get", "get", "list", "list", "watch", ""),
      apiGroup: fc.constantFrom("", "x"),
      resource: fc.constantFrom(...resources),
      subresource: fc.constantFrom("", "", "", "l", "l", "*"),
      namespace: fc.constantFrom("", ...namespaces),
      name: fc.constantFrom(...objectNames),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("nonResource" as const),
      verb: fc.constantFrom("get", "list"),
      path: fc.constantFrom("/", "/f", "/f/", "/f/g", "/foo"),
    }),
  },
);
