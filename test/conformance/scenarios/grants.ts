// SPDX-License-Identifier: Apache-2.0
// How scenarios give rights to dev.
import type { Step } from "../scenario.ts";

export const rbac = "/apis/rbac.authorization.k8s.io/v1";
export const roles = `${rbac}/namespaces/\${ns}/roles`;
export const bindings = `${rbac}/namespaces/\${ns}/rolebindings`;
export const reviews = "/apis/authorization.k8s.io/v1";

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** A rule about resources of the core group. */
export const core = (resources: readonly string[], verbs: readonly string[], more: Partial<Rule> = {}): Rule => ({
  apiGroups: [""],
  resources,
  verbs,
  ...more,
});

/** Gives dev a role of that name in the namespace, and waits until the server has seen it. */
export function grant(name: string, rules: readonly Rule[], verb: string, resource: string): readonly Step[] {
  const [group = ""] = rules[0]?.apiGroups ?? [];
  return [
    { name: `role ${name}`, method: "POST", path: roles, body: { metadata: { name }, rules } },
    {
      name: `bind ${name}`,
      method: "POST",
      path: bindings,
      body: {
        metadata: { name },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
        subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "dev" }],
      },
    },
    {
      name: `${name} is known`,
      method: "POST",
      path: `${reviews}/selfsubjectaccessreviews`,
      as: "dev",
      body: { spec: { resourceAttributes: { namespace: "${ns}", verb, resource, group } } },
      wait: { at: "status.allowed", equals: true },
    },
  ];
}
