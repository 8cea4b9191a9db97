// SPDX-License-Identifier: Apache-2.0
// Questions about random policies and what a real kube-apiserver answered, kept as text for machines without one.
import type { Subject } from "../../../src/model/subject.ts";
import type { RequestAttributes } from "../../../src/rbac/attributes.ts";
import {
  parseClusterRole,
  parseClusterRoleBinding,
  parseRole,
  parseRoleBinding,
} from "../../../src/rbac/rbac-parse.ts";
import type { RbacLists } from "../../../src/rbac/testing/arbitrary-rbac.ts";

/** One policy with the answers that were given under it. */
export interface RecordedRound {
  /** The version of the server. */
  readonly kubernetes: string;
  readonly lists: RbacLists;
  readonly asked: readonly { readonly user: Subject; readonly request: RequestAttributes; readonly allowed: boolean }[];
}

/** Allowed, user, groups, verb, then the path, or API group, resource, subresource, namespace and name. */
type AskedRow = readonly [0 | 1, string, readonly string[], string, ...string[]];

interface RoundLine {
  readonly kubernetes: string;
  /** The objects as the API knows them, without what only our label adds. */
  readonly objects: readonly { readonly kind: string }[];
  readonly asked: readonly AskedRow[];
}

function toObjects(lists: RbacLists): readonly { readonly kind: string }[] {
  const all = [...lists.roles, ...lists.clusterRoles, ...lists.roleBindings, ...lists.clusterRoleBindings];
  return all.map((object) => {
    const { kind, namespace, name } = object;
    const metadata = namespace === "" ? { name } : { namespace, name };
    if ("rules" in object) return { kind, metadata, rules: object.rules.map(withoutEmpty) };
    const { roleRef, subjects } = object;
    return {
      kind,
      metadata,
      roleRef: { kind: roleRef.kind, name: roleRef.name },
      subjects: subjects.map(withoutEmpty),
    };
  });
}

/** The fields that say something; our readers take an absent one for empty. */
function withoutEmpty(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => (value as { length: number }).length > 0));
}

function fromObjects(objects: RoundLine["objects"]): RbacLists {
  const of = (kind: string): readonly unknown[] => objects.filter((object) => object.kind === kind);
  return {
    roles: of("Role").map(parseRole),
    clusterRoles: of("ClusterRole").map(parseClusterRole),
    roleBindings: of("RoleBinding").map(parseRoleBinding),
    clusterRoleBindings: of("ClusterRoleBinding").map(parseClusterRoleBinding),
  };
}

/** One line, with every question as a short list. */
export function toRoundLine({ kubernetes, lists, asked }: RecordedRound): string {
  const rows = asked.map(({ user, request, allowed }): AskedRow => {
    const head = [allowed ? 1 : 0, user.user, user.groups, request.verb] as const;
    if (request.kind === "nonResource") return [...head, request.path];
    return [...head, request.apiGroup, request.resource, request.subresource, request.namespace, request.name];
  });
  const line: RoundLine = { kubernetes, objects: toObjects(lists), asked: rows };
  return `${JSON.stringify(line)}\n`;
}

/** What `toRoundLine` wrote. The file is our own, so its form is taken as given. */
export function fromRoundLine(line: string): RecordedRound {
  const { kubernetes, objects, asked } = JSON.parse(line) as RoundLine;
  return {
    kubernetes,
    lists: fromObjects(objects),
    asked: asked.map(([allowed, user, groups, verb, ...rest]) => {
      const [first = "", resource = "", subresource = "", namespace = "", name = ""] = rest;
      const request: RequestAttributes =
        rest.length === 1
          ? { kind: "nonResource", verb, path: first }
          : { kind: "resource", verb, apiGroup: first, resource, subresource, namespace, name };
      return { user: { user, groups }, request, allowed: allowed === 1 };
    }),
  };
}
