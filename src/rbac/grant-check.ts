// SPDX-License-Identifier: Apache-2.0
// Decides whether a user may write a role or binding. A user can grant only rights that it holds, unless `escalate` or
// `bind` allows more.
import type { Subject } from "../model/subject.ts";
import type { ResourceAttributes } from "./attributes.ts";
import type { Authorizer } from "./authorizer-chain.ts";
import { compactRules } from "./compact-rules.ts";
import { uncoveredRules } from "./escalation.ts";
import { errorsText, quotedList, ruleText } from "./grant-text.ts";
import type { Policy, RoleNotFound } from "./policy.ts";
import { type Binding, type ClusterRole, createRule, type RbacObject, type Role, rbacApiGroup } from "./rbac-types.ts";
import { rulesHeld } from "./subject-rules.ts";

/**
 * `notHeld`: the user lacks rights that the write would grant. `roleNotFound`: the role of a binding does not exist.
 * Messages are kube-apiserver's.
 */
export type GrantCheck =
  | { readonly outcome: "allowed" }
  | { readonly outcome: "notHeld" | "roleNotFound"; readonly message: string };

/** The user, and the authorizer of the cluster over the same `policy`. */
export interface GrantCheckContext {
  readonly authorizer: Authorizer;
  readonly policy: Policy;
  readonly user: Subject;
}

/** A write of a Role or ClusterRole. */
export interface RoleWrite {
  readonly role: Role | ClusterRole;
  /** The name in the request path: empty for a create, so `escalate` restricted to names does not permit creating. */
  readonly requestName: string;
  /** True if the ClusterRole, new or stored, has an aggregationRule with selectors. */
  readonly isAggregated: boolean;
}

/**
 * Most missing rules that a message names. A role can lack more than is readable, and the message is sent to clients.
 */
const maxNamedRuleCount = 1_000;

const allowed: GrantCheck = { outcome: "allowed" };

const resourceOf = {
  Role: "roles",
  ClusterRole: "clusterroles",
  RoleBinding: "rolebindings",
  ClusterRoleBinding: "clusterrolebindings",
} as const satisfies Readonly<Record<RbacObject["kind"], string>>;

const allRights = [
  createRule({ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }),
  createRule({ verbs: ["*"], nonResourceURLs: ["*"] }),
];

function isAllowed(context: GrantCheckContext, request: Omit<ResourceAttributes, "kind" | "subresource">): boolean {
  const verdict = context.authorizer(context.user, { kind: "resource", subresource: "", ...request });
  return verdict.decision === "allow";
}

/** On a write kube-apiserver reads roles from its store, whose error names the resource of the request (RB64). */
function notFoundText(written: RbacObject, { binding, message }: RoleNotFound): string {
  const { kind, name } = binding.roleRef;
  if (kind !== "Role" && kind !== "ClusterRole") return message;
  return `${resourceOf[written.kind]}.${rbacApiGroup} ${JSON.stringify(name)} not found`;
}

function checkHeld(context: GrantCheckContext, written: RbacObject, wanted: Role["rules"]): GrantCheck {
  const { user } = context;
  const held = rulesHeld(context.policy, user, written.namespace);
  const missing = uncoveredRules(held.rules, wanted);
  if (missing.length === 0) return allowed;
  const who = `user ${JSON.stringify(user.user)} (groups=${quotedList(user.groups)})`;
  const texts = [...new Set(compactRules(missing).map(ruleText))].toSorted();
  const moreCount = texts.length - maxNamedRuleCount;
  const lines = [...texts.slice(0, maxNamedRuleCount), ...(moreCount > 0 ? [`and ${moreCount} more`] : [])].join("\n");
  const errors = errorsText(held.notFound.map((each) => notFoundText(written, each)));
  const errorText = held.notFound.length === 0 ? "" : `; resolution errors: [${errors}]`;
  const message = `${who} is attempting to grant RBAC permissions not currently held:\n${lines}${errorText}`;
  return { outcome: "notHeld", message };
}

/** Whether the user may create or change the role, given that RBAC allows the write itself. */
export function checkRoleWrite(context: GrantCheckContext, write: RoleWrite): GrantCheck {
  const { kind, namespace, rules } = write.role;
  const resource = resourceOf[kind];
  const escalate = { verb: "escalate", apiGroup: rbacApiGroup, resource, namespace, name: write.requestName };
  if (isAllowed(context, escalate)) return allowed;
  const check = checkHeld(context, write.role, rules);
  if (check.outcome !== "allowed" || !write.isAggregated) return check;
  if (checkHeld(context, write.role, allRights).outcome === "allowed") return allowed;
  return { outcome: "notHeld", message: "must have cluster-admin privileges to use the aggregationRule" };
}

/** Whether the user may create or change the binding, given that RBAC allows the write itself. */
export function checkBindingWrite(context: GrantCheckContext, binding: Binding): GrantCheck {
  const { namespace, roleRef } = binding;
  const { apiGroup, kind, name } = roleRef;
  if (kind === "Role" || kind === "ClusterRole") {
    const resource = resourceOf[kind];
    if (isAllowed(context, { verb: "bind", apiGroup, resource, namespace, name })) return allowed;
  }
  const given = context.policy.resolve(binding);
  if ("notFound" in given) return { outcome: "roleNotFound", message: notFoundText(binding, given.notFound) };
  return checkHeld(context, binding, given.rules);
}
