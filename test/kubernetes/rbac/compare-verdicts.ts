// SPDX-License-Identifier: Apache-2.0
import type { Subject } from "../../../src/model/subject.ts";
import type { RequestAttributes } from "../../../src/rbac/attributes.ts";
import type { AccessVerdict } from "../../../src/rbac/authorize.ts";
import { createClusterAuthorizer } from "../../../src/rbac/authorizer-chain.ts";
import { grantText } from "../../../src/rbac/grant-text.ts";
import type { BindingRules, Policy } from "../../../src/rbac/policy.ts";
import { ruleAllows } from "../../../src/rbac/rule-match.ts";
import { matchingSubject } from "../../../src/rbac/subject-match.ts";
import type { AccessAnswer } from "./access-review.ts";
import { tellSameErrors } from "./same-errors.ts";

/**
 * The texts with which a server may allow: it names any ClusterRoleBinding that grants the request, or if none does any
 * RoleBinding. Which of several is left to the order of a Go map; we name the first by name (RB23).
 */
function reasonsToAllow(policy: Policy, user: Subject, attributes: RequestAttributes): ReadonlySet<string> {
  const namespace = attributes.kind === "resource" ? attributes.namespace : "";
  const reasonsOf = (given: Iterable<BindingRules>): readonly string[] =>
    [...given].flatMap((each) => {
      if ("notFound" in each || !each.rules.some((rule) => ruleAllows(rule, attributes))) return [];
      const subject = matchingSubject(each.binding, user);
      return subject === undefined ? [] : [`RBAC: allowed by ${grantText({ binding: each.binding, subject })}`];
    });
  const wide = reasonsOf(policy.rulesFor(user, ""));
  // Without a reason from a ClusterRoleBinding, all reasons are those of RoleBindings of the namespace.
  return new Set(wide.length > 0 || namespace === "" ? wide : reasonsOf(policy.rulesFor(user, namespace)));
}

function isSameReason(ours: AccessVerdict, answer: AccessAnswer, possible: () => ReadonlySet<string>): boolean {
  if (ours.reason === answer.reason) return true;
  if (ours.decision === "allow") return possible().has(ours.reason) && possible().has(answer.reason);
  return tellSameErrors(ours.reason, answer.reason);
}

/**
 * What differs between our verdict and the server's answer to the same question, in one line; undefined if nothing
 * does.
 */
export function findDifference(
  policy: Policy,
  user: Subject,
  attributes: RequestAttributes,
  answer: AccessAnswer,
): string | undefined {
  const ours = createClusterAuthorizer(policy)(user, attributes);
  const isSame = (ours.decision === "allow") === answer.allowed && !answer.denied && answer.evaluationError === "";
  if (isSame && isSameReason(ours, answer, () => reasonsToAllow(policy, user, attributes))) return undefined;
  const { decision, reason } = ours;
  return JSON.stringify({ user, attributes, ours: { decision, reason }, answer });
}
