// SPDX-License-Identifier: Apache-2.0
import type { Subject } from "../model/subject.ts";
import type { RequestAttributes, ResourceAttributes } from "./attributes.ts";
import type { AccessVerdict } from "./authorize.ts";
import type { Authorizer } from "./authorizer-chain.ts";
import { grantText, refusalText, ruleText } from "./grant-text.ts";
import { createRule, type PolicyRule } from "./rbac-types.ts";
import { combinedResource } from "./rule-match.ts";

/** The smallest missing grant: this rule, in a role bound to the user by this kind of binding. */
export interface MissingGrant {
  readonly bindingKind: "RoleBinding" | "ClusterRoleBinding";
  /** The namespace of the RoleBinding; empty for a ClusterRoleBinding. */
  readonly namespace: string;
  readonly rule: PolicyRule;
}

/** A verdict with its explanation for users. */
export interface Explanation {
  readonly verdict: AccessVerdict;
  /** One sentence. It names bindings and roles of the cluster, so show it only to users who may see those. */
  readonly sentence: string;
  /** Set unless the verdict is `allow`. */
  readonly missing?: MissingGrant;
}

/**
 * The smallest rule that allows the request, and the binding it needs. Only `*` matches an empty verb, so `*` is named.
 */
function smallestGrant(attributes: RequestAttributes): MissingGrant {
  const verbs = [attributes.verb === "" ? "*" : attributes.verb];
  if (attributes.kind === "nonResource") {
    const rule = createRule({ verbs, nonResourceURLs: [attributes.path] });
    return { bindingKind: "ClusterRoleBinding", namespace: "", rule };
  }
  const { apiGroup, name, namespace } = attributes;
  const resourceNames = name === "" ? [] : [name];
  const rule = createRule({ verbs, apiGroups: [apiGroup], resources: [combinedResource(attributes)], resourceNames });
  return { bindingKind: namespace === "" ? "ClusterRoleBinding" : "RoleBinding", namespace, rule };
}

function allowSentence(verdict: AccessVerdict): string {
  const { via } = verdict;
  if (via === undefined) return "Allowed before RBAC, by an authorizer that gives no reason.";
  return `Allowed by ${grantText(via)}, whose rule ${ruleText(via.rule)} covers it.`;
}

function refusalSentence(verdict: AccessVerdict, refused: string, missing: MissingGrant): string {
  if (verdict.decision === "deny") {
    return `${refused}: an authorizer denied it${verdict.reason === "" ? "" : ` (${verdict.reason})`}.`;
  }
  const place = missing.namespace === "" ? "" : ` in the namespace ${JSON.stringify(missing.namespace)}`;
  const errors = verdict.errors.map((error) => error.message);
  const broken = errors.length === 0 ? "" : ` (not found: ${[...new Set(errors)].join(", ")})`;
  const remedy = `a ${missing.bindingKind}${place} to a role with the rule ${ruleText(missing.rule)} would`;
  return `${refused}: no rule that applies to this user and its groups allows it${broken}; ${remedy}.`;
}

/** Evaluates `authorizer`, the one that enforces, and explains its verdict. */
export function explain(authorizer: Authorizer, user: Subject, attributes: RequestAttributes): Explanation {
  const verdict = authorizer(user, attributes);
  if (verdict.decision === "allow") return { verdict, sentence: allowSentence(verdict) };
  const missing = smallestGrant(attributes);
  return { verdict, sentence: refusalSentence(verdict, refusalText(user, attributes), missing), missing };
}

/**
 * Why an object is visible or not: the explanation of the first of `requests` that is allowed, else of the last one.
 * With the requests of `visibility-requests.ts` the last is the narrowest, so its missing grant is the smallest.
 */
export function explainVisible(
  authorizer: Authorizer,
  user: Subject,
  requests: readonly [ResourceAttributes, ...ResourceAttributes[]],
): Explanation {
  let explanation = explain(authorizer, user, requests[0]);
  for (const request of requests.slice(1)) {
    if (explanation.verdict.decision === "allow") return explanation;
    explanation = explain(authorizer, user, request);
  }
  return explanation;
}
