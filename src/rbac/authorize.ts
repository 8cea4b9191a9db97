// SPDX-License-Identifier: Apache-2.0
import type { Subject } from "../model/subject.ts";
import type { RequestAttributes } from "./attributes.ts";
import { errorsText, grantText } from "./grant-text.ts";
import type { Policy, RoleNotFound } from "./policy.ts";
import type { Binding, PolicyRule, RbacSubject, RoleRef } from "./rbac-types.ts";
import { ruleAllows } from "./rule-match.ts";
import { matchingSubject } from "./subject-match.ts";

/** The binding, role, rule and subject that allowed a request. */
export interface Grant {
  readonly binding: Binding;
  readonly role: RoleRef;
  readonly rule: PolicyRule;
  /** The first subject of the binding that names the user. */
  readonly subject: RbacSubject;
}

/** An error during evaluation. `cause` is for logs only. */
export interface VerdictError {
  readonly message: string;
  readonly binding?: Binding;
  readonly cause?: unknown;
}

/** The decision of one authorizer. Only `allow` permits a request. */
export interface AccessVerdict {
  readonly decision: "allow" | "deny" | "noOpinion";
  /** kube-apiserver's own text; empty if it has none. */
  readonly reason: string;
  /** Set when RBAC allowed. */
  readonly via?: Grant;
  /** Empty if allowed: an error does not revoke what a rule grants. */
  readonly errors: readonly VerdictError[];
}

/** The decision of RBAC, which never denies. */
export interface RbacVerdict extends AccessVerdict {
  readonly decision: "allow" | "noOpinion";
}

function namespaceOf(attributes: RequestAttributes): string {
  return attributes.kind === "resource" ? attributes.namespace : "";
}

function findGrant(
  policy: Policy,
  user: Subject,
  attributes: RequestAttributes,
  notFound: RoleNotFound[],
): Grant | undefined {
  for (const given of policy.rulesFor(user, namespaceOf(attributes))) {
    if ("notFound" in given) {
      notFound.push(given.notFound);
      continue;
    }
    const rule = given.rules.find((each) => ruleAllows(each, attributes));
    if (rule === undefined) continue;
    const { binding } = given;
    const subject = matchingSubject(binding, user);
    if (subject !== undefined) return { binding, role: binding.roleRef, rule, subject };
  }
  return undefined;
}

/**
 * Decides one request by one cluster's RBAC objects. The cost grows with the user's own bindings, not with the policy.
 */
export function authorize(policy: Policy, user: Subject, attributes: RequestAttributes): RbacVerdict {
  const notFound: RoleNotFound[] = [];
  const via = findGrant(policy, user, attributes, notFound);
  if (via !== undefined) return { decision: "allow", reason: `RBAC: allowed by ${grantText(via)}`, via, errors: [] };
  const reason = notFound.length === 0 ? "" : `RBAC: ${errorsText(notFound.map((each) => each.message))}`;
  return { decision: "noOpinion", reason, errors: notFound };
}
