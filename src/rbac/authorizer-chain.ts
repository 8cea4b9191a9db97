// SPDX-License-Identifier: Apache-2.0
import type { Subject } from "../model/subject.ts";
import type { RequestAttributes } from "./attributes.ts";
import { type AccessVerdict, authorize, type VerdictError } from "./authorize.ts";
import type { Policy } from "./policy.ts";

/** Decides a request. A step of a chain and a chain have the same type, so chains can be nested. */
export type Authorizer = (user: Subject, attributes: RequestAttributes) => AccessVerdict;

/** Members are allowed everything on a cluster, before RBAC is evaluated. */
export const mastersGroup = "system:masters";

const noOpinion: AccessVerdict = { decision: "noOpinion", reason: "", errors: [] };

/** Allows everything to `system:masters`. Like kube-apiserver, it gives no reason. */
export const systemMasters: Authorizer = (user) =>
  user.groups.includes(mastersGroup) ? { decision: "allow", reason: "", errors: [] } : noOpinion;

/** RBAC over `policy`, which may change between calls. */
export function rbacAuthorizer(policy: Policy): Authorizer {
  return (user, attributes) => authorize(policy, user, attributes);
}

function evaluate(step: Authorizer, user: Subject, attributes: RequestAttributes): AccessVerdict {
  try {
    return step(user, attributes);
  } catch (cause) {
    return { decision: "deny", reason: "the check failed", errors: [{ message: "an authorizer threw", cause }] };
  }
}

/**
 * A chain of steps, evaluated in order until one allows or denies. A step that throws denies (L16). An empty chain has
 * no opinion.
 */
export function createAuthorizer(steps: readonly Authorizer[]): Authorizer {
  return (user, attributes) => {
    const reasons: string[] = [];
    const errors: VerdictError[] = [];
    for (const step of steps) {
      const verdict = evaluate(step, user, attributes);
      if (verdict.decision !== "noOpinion") return verdict;
      if (verdict.reason !== "") reasons.push(verdict.reason);
      for (const error of verdict.errors) errors.push(error);
    }
    return { decision: "noOpinion", reason: reasons.join("\n"), errors };
  };
}

/** The decision of a cluster whose only authorizer is RBAC: `system:masters` first, then RBAC. */
export function createClusterAuthorizer(policy: Policy): Authorizer {
  return createAuthorizer([systemMasters, rbacAuthorizer(policy)]);
}
