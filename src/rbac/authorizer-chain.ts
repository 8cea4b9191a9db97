// SPDX-License-Identifier: Apache-2.0
import type { Subject } from "../model/subject.ts";
import type { RequestAttributes } from "./attributes.ts";
import { authorize, type Verdict, type VerdictError } from "./authorize.ts";
import type { Policy } from "./policy.ts";

/** Judges a request. A step of a chain and a whole chain have this one type, so chains can hold chains. */
export type Authorizer = (user: Subject, attributes: RequestAttributes) => Verdict;

/** Members may do everything on a cluster, before RBAC is asked. */
export const mastersGroup = "system:masters";

const noOpinion: Verdict = { decision: "noOpinion", reason: "", errors: [] };

/** Allows everything to `system:masters`. kube-apiserver gives no reason for it, so neither do we. */
export const systemMasters: Authorizer = (user) =>
  user.groups.includes(mastersGroup) ? { decision: "allow", reason: "", errors: [] } : noOpinion;

/** Kubernetes' AlwaysDeny, which in truth has no opinion: a step after it may still allow. */
export const alwaysDeny: Authorizer = () => ({ decision: "noOpinion", reason: "Everything is forbidden.", errors: [] });

/** RBAC over `policy`, which may change between calls. */
export function rbacAuthorizer(policy: Policy): Authorizer {
  return (user, attributes) => authorize(policy, user, attributes);
}

function ask(step: Authorizer, user: Subject, attributes: RequestAttributes): Verdict {
  try {
    return step(user, attributes);
  } catch (cause) {
    return { decision: "deny", reason: "the check failed", errors: [{ message: "an authorizer threw", cause }] };
  }
}

/** A chain of steps, asked in order until one allows or denies. A step that throws denies (L16). An empty chain has no opinion. */
export function createAuthorizer(steps: readonly Authorizer[]): Authorizer {
  return (user, attributes) => {
    const reasons: string[] = [];
    const errors: VerdictError[] = [];
    for (const step of steps) {
      const verdict = ask(step, user, attributes);
      if (verdict.decision !== "noOpinion") return verdict;
      if (verdict.reason !== "") reasons.push(verdict.reason);
      for (const error of verdict.errors) errors.push(error);
    }
    return { decision: "noOpinion", reason: reasons.join("\n"), errors };
  };
}

/** What a cluster with RBAC as its one authorizer decides: `system:masters` first, then RBAC. */
export function createClusterAuthorizer(policy: Policy): Authorizer {
  return createAuthorizer([systemMasters, rbacAuthorizer(policy)]);
}
