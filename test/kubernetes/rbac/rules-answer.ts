// SPDX-License-Identifier: Apache-2.0
import type { Subject } from "../../../src/model/subject.ts";
import type { RulesReview } from "../../../src/rbac/subject-rules.ts";
import type { KubeClient } from "../kube-client.ts";
import { impersonate } from "./impersonate.ts";
import { errorsIn } from "./same-errors.ts";

const path = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";

/** The server's own review of what the user may do in the namespace. */
export async function reviewOwnRules(
  client: KubeClient,
  user: Subject,
  namespace: string,
): Promise<Partial<RulesReview>> {
  const answer = await client.ask("POST", path, { body: { spec: { namespace } }, headers: impersonate(user) });
  return (answer as { status: Partial<RulesReview> }).status;
}

function sortedRules(rules: readonly object[] = []): readonly string[] {
  const filled = rules.map((rule) => Object.entries(rule).filter(([, list]) => Array.isArray(list) && list.length > 0));
  return filled.map((entries) => JSON.stringify(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))).toSorted();
}

/** A review without what carries no meaning: the order of rules and errors, and the difference of empty and absent. */
export function comparableReview(review: Partial<RulesReview>): unknown {
  return {
    resourceRules: sortedRules(review.resourceRules),
    nonResourceRules: sortedRules(review.nonResourceRules),
    incomplete: review.incomplete === true,
    errors: errorsIn(review.evaluationError ?? ""),
  };
}
