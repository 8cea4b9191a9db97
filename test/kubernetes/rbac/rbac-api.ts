// SPDX-License-Identifier: Apache-2.0
// RBAC objects on a real server: where they live and how they are written and read.
import { createPolicy, type Policy } from "../../../src/rbac/policy.ts";
import {
  parseClusterRole,
  parseClusterRoleBinding,
  parseRole,
  parseRoleBinding,
} from "../../../src/rbac/rbac-parse.ts";
import { type RbacKey, type RbacObject, rbacApiGroup } from "../../../src/rbac/rbac-types.ts";
import type { RbacLists } from "../../../src/rbac/testing/arbitrary-rbac.ts";
import type { KubeClient } from "../kube-client.ts";

const root = `/apis/${rbacApiGroup}/v1`;

/** On every object that a test writes, so that all of them can be removed at once and bootstrap objects stay. */
export const testLabel = "flotilla.dev/test";

const resources = {
  Role: "roles",
  ClusterRole: "clusterroles",
  RoleBinding: "rolebindings",
  ClusterRoleBinding: "clusterrolebindings",
} as const satisfies Record<RbacObject["kind"], string>;

/** The path of the list that an object belongs to. */
export function collectionPath({ kind, namespace }: Pick<RbacKey, "kind" | "namespace">): string {
  return namespace === "" ? `${root}/${resources[kind]}` : `${root}/namespaces/${namespace}/${resources[kind]}`;
}

/** The path of one object. */
export function objectPath(key: RbacKey): string {
  return `${collectionPath(key)}/${key.name}`;
}

/** An object in the form that the API takes; `label` is the value of the test label. */
export function toManifest(object: RbacObject, label = "policy"): unknown {
  const { kind, namespace, name } = object;
  const metadata = { name, ...(namespace === "" ? {} : { namespace }), labels: { [testLabel]: label } };
  const head = { apiVersion: `${rbacApiGroup}/v1`, kind, metadata };
  if ("rules" in object) return { ...head, rules: object.rules };
  const subjects = object.subjects.map(({ kind, name, namespace }) =>
    namespace === "" ? { kind, name } : { kind, name, namespace },
  );
  return { ...head, subjects, roleRef: object.roleRef };
}

function hasItems(list: unknown): list is { readonly items: readonly unknown[] } {
  return typeof list === "object" && list !== null && "items" in list && Array.isArray(list.items);
}

async function listAll(client: KubeClient, kind: RbacObject["kind"]): Promise<readonly unknown[]> {
  const list = await client.ask("GET", `${root}/${resources[kind]}`);
  if (!hasItems(list)) throw new Error(`the server did not answer with a list of ${resources[kind]}`);
  return list.items;
}

/** Every RBAC object of a server, as our own reader takes them. */
export async function readLists(client: KubeClient): Promise<RbacLists> {
  const [roles, clusterRoles, roleBindings, clusterRoleBindings] = await Promise.all([
    listAll(client, "Role"),
    listAll(client, "ClusterRole"),
    listAll(client, "RoleBinding"),
    listAll(client, "ClusterRoleBinding"),
  ]);
  return {
    roles: roles.map(parseRole),
    clusterRoles: clusterRoles.map(parseClusterRole),
    roleBindings: roleBindings.map(parseRoleBinding),
    clusterRoleBindings: clusterRoleBindings.map(parseClusterRoleBinding),
  };
}

/** The policy of every RBAC object of a server. */
export async function readPolicy(client: KubeClient): Promise<Policy> {
  return createPolicy(await readLists(client));
}
