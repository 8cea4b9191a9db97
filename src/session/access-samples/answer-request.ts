// SPDX-License-Identifier: Apache-2.0
import type { Subject } from "../../model/subject.ts";
import type { ResourceAttributes } from "../../rbac/attributes.ts";
import { createClusterAuthorizer } from "../../rbac/authorizer-chain.ts";
import type { Policy } from "../../rbac/policy.ts";
import type { AccessSample, SampledRequest } from "./access-sample.ts";

/** Our answer to a request: whether the cluster's RBAC objects allow it. It names its user as the cluster does. */
export function answerRequest(policy: Policy, request: SampledRequest): boolean {
  const { user, groups, verb, group, resource, namespace, name } = request;
  const attributes = { kind: "resource", verb, apiGroup: group, resource, subresource: "", namespace, name } as const;
  return createClusterAuthorizer(policy)({ user, groups }, attributes).decision === "allow";
}

/**
 * The sample of one of the requests that make an object visible (`requestsFor`); undefined for a verb that is not
 * sampled. `subject` is the subject of the cluster (`toClusterSubject`).
 */
export function toAccessSample(
  policy: Policy,
  subject: Subject,
  { verb, apiGroup, resource, namespace, name }: ResourceAttributes,
): AccessSample | undefined {
  if (verb !== "get" && verb !== "list") return undefined;
  const { user, groups } = subject;
  const request = { user, groups, verb, group: apiGroup, resource, namespace, name } as const;
  return { ...request, isAllowed: answerRequest(policy, request) };
}
