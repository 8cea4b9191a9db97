// SPDX-License-Identifier: Apache-2.0
// Ways in which a user gets and loses the right to read the ConfigMaps of a namespace of a real cluster.
import type { KubeClient } from "../kube-client.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const rbacGroup = "rbac.authorization.k8s.io";
const readRules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list", "watch"] }];

/** A user, a group of it, and the namespace that they may read. */
export interface GrantPlace {
  readonly admin: KubeClient;
  readonly namespace: string;
  readonly user: string;
  readonly group: string;
}

/** Grants access and returns what takes it away again. Names are the caller's, so that each grant is a new object. */
export type Grant = (place: GrantPlace, name: string) => Promise<() => Promise<void>>;

const subjectOf = (kind: "User" | "Group", name: string): object => ({ apiGroup: rbacGroup, kind, name });
const refTo = (kind: "Role" | "ClusterRole", name: string): object => ({ apiGroup: rbacGroup, kind, name });

async function createRole({ admin, namespace }: GrantPlace, name: string): Promise<string> {
  const path = `${rbac}/namespaces/${namespace}/roles`;
  await admin.ask("POST", path, { body: { metadata: { name }, rules: readRules } });
  return `${path}/${name}`;
}

async function bindRole({ admin, namespace }: GrantPlace, name: string, roleRef: object, subjects: readonly object[]) {
  const path = `${rbac}/namespaces/${namespace}/rolebindings`;
  await admin.ask("POST", path, { body: { metadata: { name }, roleRef, subjects } });
  return `${path}/${name}`;
}

/** By the name of the step that takes the right away. */
export const grants: Readonly<Record<string, Grant>> = {
  "a deleted RoleBinding of the user": async (place, name) => {
    await createRole(place, name);
    const binding = await bindRole(place, name, refTo("Role", name), [subjectOf("User", place.user)]);
    return async () => void (await place.admin.ask("DELETE", binding));
  },
  "a deleted ClusterRoleBinding of a group": async ({ admin, group }, name) => {
    await admin.ask("POST", `${rbac}/clusterroles`, { body: { metadata: { name }, rules: readRules } });
    const body = { metadata: { name }, roleRef: refTo("ClusterRole", name), subjects: [subjectOf("Group", group)] };
    await admin.ask("POST", `${rbac}/clusterrolebindings`, { body });
    return async () => void (await admin.ask("DELETE", `${rbac}/clusterrolebindings/${name}`));
  },
  "a role without its rules": async (place, name) => {
    const role = await createRole(place, name);
    await bindRole(place, name, refTo("Role", name), [subjectOf("User", place.user)]);
    return async () => void (await place.admin.ask("PUT", role, { body: { metadata: { name }, rules: [] } }));
  },
  "a RoleBinding without the group": async (place, name) => {
    await createRole(place, name);
    const roleRef = refTo("Role", name);
    const binding = await bindRole(place, name, roleRef, [subjectOf("Group", place.group)]);
    const body = { metadata: { name }, roleRef, subjects: [subjectOf("Group", "others")] };
    return async () => void (await place.admin.ask("PUT", binding, { body }));
  },
  "an aggregated ClusterRole without its last source": async (place, name) => {
    const { admin, user } = place;
    const labels = { "flotilla.dev/test-source": name };
    const source = { metadata: { name: `${name}-source`, labels }, rules: readRules };
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: labels }] };
    await admin.ask("POST", `${rbac}/clusterroles`, { body: source });
    await admin.ask("POST", `${rbac}/clusterroles`, { body: { metadata: { name }, aggregationRule } });
    await bindRole(place, name, refTo("ClusterRole", name), [subjectOf("User", user)]);
    return async () => void (await admin.ask("DELETE", `${rbac}/clusterroles/${name}-source`));
  },
};
