// SPDX-License-Identifier: Apache-2.0
import { matchGlob } from "../../base/match-glob.ts";
import { createRule, type PolicyRule, type Role, type RoleBinding, rbacApiGroup } from "../../rbac/rbac-types.ts";
import type { ApplicationSelector } from "./application-selector.ts";

/** An application as it takes effect. */
export interface GrantedApplication {
  readonly name: string;
  readonly selector: ApplicationSelector;
  readonly users: readonly string[];
  readonly groups: readonly string[];
}

/** `/` is in no name of a Kubernetes object, so no object of a cluster has the name of an application's (AG4). */
const namePrefix = "application/";

/** The application whose Role or RoleBinding has this name; undefined for one of the cluster. */
export function applicationOf(name: string): string | undefined {
  return name.startsWith(namePrefix) ? name.slice(namePrefix.length) : undefined;
}

/** The objects that applications add to the RBAC objects of a cluster (AG3). */
export function applicationObjects(
  applications: readonly GrantedApplication[],
  cluster: string,
): readonly (Role | RoleBinding)[] {
  return applications.flatMap((application) => {
    const { selector, users, groups } = application;
    if (!selector.clusters.some((pattern) => matchGlob(pattern, cluster))) return [];
    const name = `${namePrefix}${application.name}`;
    const rules = selector.resources.map((resource) => ruleFor(resource, selector.names));
    const subjects = [
      ...users.map((user) => ({ kind: "User", name: user, namespace: "" })),
      ...groups.map((group) => ({ kind: "Group", name: group, namespace: "" })),
    ];
    const roleRef = { apiGroup: rbacApiGroup, kind: "Role", name };
    return selector.namespaces.flatMap((namespace) => [
      { kind: "Role" as const, namespace, name, rules },
      { kind: "RoleBinding" as const, namespace, name, subjects, roleRef },
    ]);
  });
}

function ruleFor(resource: string, resourceNames: readonly string[]): PolicyRule {
  const slash = resource.lastIndexOf("/");
  return createRule({
    verbs: ["get", "list", "watch"],
    apiGroups: [resource.slice(0, Math.max(0, slash))],
    resources: [resource.slice(slash + 1)],
    resourceNames,
  });
}
