// SPDX-License-Identifier: Apache-2.0
// May a user write this role or binding? Nobody can give rights they do not hold, unless `escalate` or `bind` says so.
import type { Subject } from "../model/subject.ts";
import type { ResourceAttributes } from "./attributes.ts";
import type { Authorizer } from "./authorizer-chain.ts";
import { compactRules } from "./compact-rules.ts";
import { uncoveredRules } from "./escalation.ts";
import { errorsText, quotedList, ruleText } from "./grant-text.ts";
import type { Policy } from "./policy.ts";
import { type Binding, type ClusterRole, createRule, type Role, rbacApiGroup } from "./rbac-types.ts";
import { rulesHeld } from "./rules-review.ts";

/** `notHeld`: the user lacks rights it would give; `roleNotFound`: the role of a binding does not exist. Messages are kube-apiserver's. */
export type GrantCheck =
  | { readonly outcome: "allowed" }
  | { readonly outcome: "notHeld" | "roleNotFound"; readonly message: string };

/** Who decides and about whom: `authorizer` is the cluster's chain over the same `policy`. */
export interface GrantCheckContext {
  readonly authorizer: Authorizer;
  readonly policy: Policy;
  readonly user: Subject;
}

/** A write of a Role or ClusterRole. */
export interface RoleWrite {
  readonly role: Role | ClusterRole;
  /** The name in the path of the request: empty for a create, so `escalate` limited to names does not permit creating. */
  readonly requestName: string;
  /** The ClusterRole has an aggregationRule with selectors, or the stored one had. */
  readonly isAggregated: boolean;
}

/** Missing rules that a message names; a role can lack more than anybody reads, and the message travels. */
const maxNamedRuleCount = 1_000;

const allowed: GrantCheck = { outcome: "allowed" };

const allRights = [
  createRule({ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }),
  createRule({ verbs: ["*"], nonResourceURLs: ["*"] }),
];

function isAllowed(context: GrantCheckContext, request: Omit<ResourceAttributes, "kind" | "subresource">): boolean {
  const verdict = context.authorizer(context.user, { kind: "resource", subresource: "", ...request });
  return verdict.decision === "allow";
}

function checkHeld(context: GrantCheckContext, namespace: string, wanted: Role["rules"]): GrantCheck {
  const { user } = context;
  const held = rulesHeld(context.policy, user, namespace);
  const missing = uncoveredRules(held.rules, wanted);
  if (missing.length === 0) return allowed;
  const who = `user ${JSON.stringify(user.user)} (groups=${quotedList(user.groups)})`;
  const texts = [...new Set(compactRules(missing).map(ruleText))].toSorted();
  const moreCount = texts.length - maxNamedRuleCount;
  const lines = [...texts.slice(0, maxNamedRuleCount), ...(moreCount > 0 ? [`and ${moreCount} more`] : [])].join("\n");
  const errors = held.errors.length === 0 ? "" : `; resolution errors: [${errorsText(held.errors)}]`;
  const message = `${who} is attempting to grant RBAC permissions not currently held:\n${lines}${errors}`;
  return { outcome: "notHeld", message };
}

/** Whether the user may create or change that role, given that the write itself is allowed. */
export function checkRoleWrite(context: GrantCheckContext, write: RoleWrite): GrantCheck {
  const { kind, namespace, rules } = write.role;
  const resource = kind === "Role" ? "roles" : "clusterroles";
  const escalate = { verb: "escalate", apiGroup: rbacApiGroup, resource, namespace, name: write.requestName };
  if (isAllowed(context, escalate)) return allowed;
  const check = checkHeld(context, namespace, rules);
  if (check.outcome !== "allowed" || !write.isAggregated) return check;
  if (checkHeld(context, namespace, allRights).outcome === "allowed") return allowed;
  return { outcome: "notHeld", message: "must have cluster-admin privileges to use the aggregationRule" };
}

/** Whether the user may create or change that binding, given that the write itself is allowed. */
export function checkBindingWrite(context: GrantCheckContext, binding: Binding): GrantCheck {
  const { namespace, roleRef } = binding;
  const { apiGroup, kind, name } = roleRef;
  if (kind === "Role" || kind === "ClusterRole") {
    const resource = kind === "Role" ? "roles" : "clusterroles";
    if (isAllowed(context, { verb: "bind", apiGroup, resource, namespace, name })) return allowed;
  }
  const given = context.policy.resolve(binding);
  if ("notFound" in given) return { outcome: "roleNotFound", message: given.notFound.message };
  return checkHeld(context, namespace, given.rules);
}
