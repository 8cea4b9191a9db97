// SPDX-License-Identifier: Apache-2.0
import type { Subject } from "../../../src/model/subject.ts";
import type { RequestAttributes } from "../../../src/rbac/attributes.ts";
import type { KubeClient } from "../kube-client.ts";

const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";

/** A server's answer to a SubjectAccessReview. */
export interface AccessAnswer {
  readonly allowed: boolean;
  readonly denied: boolean;
  /** Empty where the server gives none. */
  readonly reason: string;
  readonly evaluationError: string;
}

function specOf({ user, groups }: Subject, attributes: RequestAttributes): unknown {
  if (attributes.kind === "nonResource") {
    return { user, groups, nonResourceAttributes: { verb: attributes.verb, path: attributes.path } };
  }
  const { verb, apiGroup: group, resource, subresource, namespace, name } = attributes;
  return { user, groups, resourceAttributes: { verb, group, resource, subresource, namespace, name } };
}

/** What the server itself decides. */
export async function reviewAccess(
  client: KubeClient,
  user: Subject,
  attributes: RequestAttributes,
): Promise<AccessAnswer> {
  const answer = await client.ask("POST", path, { body: { spec: specOf(user, attributes) } });
  const {
    allowed,
    denied = false,
    reason = "",
    evaluationError = "",
  } = (answer as { status: Partial<AccessAnswer> }).status;
  if (typeof allowed !== "boolean") throw new Error(`the server did not decide: ${JSON.stringify(answer)}`);
  return { allowed, denied, reason, evaluationError };
}
