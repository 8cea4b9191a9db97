// SPDX-License-Identifier: Apache-2.0
import type { Subject } from "../model/subject.ts";
import { errorsText } from "./grant-text.ts";
import type { Policy, RoleNotFound } from "./policy.ts";
import type { PolicyRule } from "./rbac-types.ts";

/** A rule for resources, in the shape of a SelfSubjectRulesReview. */
export type ResourceRule = Pick<PolicyRule, "verbs" | "apiGroups" | "resources" | "resourceNames">;

/** A rule for URLs, in the shape of a SelfSubjectRulesReview. */
export type NonResourceRule = Pick<PolicyRule, "verbs" | "nonResourceURLs">;

/** The status of a SelfSubjectRulesReview. */
export interface RulesReview {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly NonResourceRule[];
  /** Always false here. Other authorizers may be unable to list all their rules. */
  readonly incomplete: boolean;
  /** Empty if every role was found. */
  readonly evaluationError: string;
}

/** All rules that apply to the user in `namespace`, in evaluation order, and the roles that were not found. */
export function rulesHeld(
  policy: Policy,
  user: Subject,
  namespace: string,
): { readonly rules: readonly PolicyRule[]; readonly notFound: readonly RoleNotFound[] } {
  const rules: PolicyRule[] = [];
  const notFound: RoleNotFound[] = [];
  for (const given of policy.rulesFor(user, namespace)) {
    if ("rules" in given) for (const rule of given.rules) rules.push(rule);
    else notFound.push(given.notFound);
  }
  return { rules, notFound };
}

/**
 * What a user may do in a namespace, as kube-apiserver lists it: every rule, duplicates included. `compactRules`
 * shortens the list for display. An empty namespace means cluster scope; a SelfSubjectRulesReview must refuse it before
 * calling this.
 */
export function reviewRules(policy: Policy, user: Subject, namespace: string): RulesReview {
  const { rules, notFound } = rulesHeld(policy, user, namespace);
  return {
    resourceRules: rules
      .filter((rule) => rule.resources.length > 0)
      .map(({ verbs, apiGroups, resources, resourceNames }) => ({ verbs, apiGroups, resources, resourceNames })),
    nonResourceRules: rules
      .filter((rule) => rule.nonResourceURLs.length > 0)
      .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
    incomplete: false,
    evaluationError: notFound.length === 0 ? "" : errorsText(notFound.map(({ message }) => message)),
  };
}
