// SPDX-License-Identifier: Apache-2.0
// The three reviews that an agent creates. They are answered by the API server and never stored.

import type { ClusterAuthorizers } from "../../index/access/judge-grants.ts";
import { booleanOf, fieldOf, textOf } from "../../kinds/fields.ts";
import { KubeError } from "../../kube/kube-error.ts";
import type { KubeSource } from "../../kube/kube-source.ts";
import { type KubeFields, ObjectClient, objectOf } from "../../kube/object-client.ts";
import type { ReviewVerdict, SampledRequest } from "../../session/access-samples/access-sample.ts";

const group = "authorization.k8s.io";
const version = "v1";

/** Most bytes of an answer: the rules of an account with thousands of resource names. */
const maxAnswerBytes = 4 * 1024 * 1024;

/** 10 s: webhook authorizers are asked by the API server in turn, with timeouts of their own. */
const reviewTimeoutMs = 10_000;

/** What a SelfSubjectRulesReview shows of a cluster. */
export interface ReviewedAuthorizers {
  readonly authorizers: ClusterAuthorizers;
  /** The text of `evaluationError`; "" without one. */
  readonly detail: string;
}

/** Creates reviews with one credential. Methods reject with a KubeError, or with the signal's reason. */
export class AccessReviews {
  readonly #client: ObjectClient;

  constructor(source: KubeSource) {
    this.#client = new ObjectClient({ source, requestTimeoutMs: reviewTimeoutMs, maxBodyBytes: maxAnswerBytes });
  }

  /** The authorizers of the cluster, as far as the rules of the agent's own account show them (SE62). */
  async authorizers(signal: AbortSignal): Promise<ReviewedAuthorizers> {
    const spec = { namespace: "default" };
    return toAuthorizers(await this.#create("selfsubjectrulesreviews", "SelfSubjectRulesReview", spec, signal));
  }

  /** Whether the agent's own account may create SubjectAccessReviews. */
  async canReview(signal: AbortSignal): Promise<boolean> {
    const spec = { resourceAttributes: { group, resource: "subjectaccessreviews", verb: "create" } };
    const review = await this.#create("selfsubjectaccessreviews", "SelfSubjectAccessReview", spec, signal);
    return booleanOf(review, "status", "allowed") === true;
  }

  /** Whether the cluster allows the request. */
  async verdict(request: SampledRequest, signal: AbortSignal): Promise<ReviewVerdict> {
    const { user, groups, ...resourceAttributes } = request;
    const spec = { user, groups, resourceAttributes };
    return toVerdict(await this.#create("subjectaccessreviews", "SubjectAccessReview", spec, signal));
  }

  async #create(resource: string, kind: string, spec: KubeFields, signal: AbortSignal): Promise<KubeFields> {
    const review = { apiVersion: `${group}/${version}`, kind, spec };
    return objectOf(await this.#client.create({ resource: { group, version, resource }, name: "" }, review, signal));
  }
}

/**
 * Only `incomplete: false` shows that RBAC is the only authorizer: a webhook cannot list its rules, so the answer of a
 * cluster with one is incomplete. Throws `malformed` for an answer without the field.
 */
function toAuthorizers(review: unknown): ReviewedAuthorizers {
  const isIncomplete = booleanOf(review, "status", "incomplete");
  if (isIncomplete === undefined)
    throw new KubeError("malformed", "the SelfSubjectRulesReview was answered without a status");
  return {
    authorizers: isIncomplete ? "other" : "rbac",
    detail: textOf(review, "status", "evaluationError") ?? "",
  };
}

/** kube-apiserver always sends `allowed`. An answer without a status is none. */
function toVerdict(review: unknown): ReviewVerdict {
  const isAllowed = booleanOf(fieldOf(review, "status"), "allowed");
  if (isAllowed === undefined) return "unknown";
  return isAllowed ? "allowed" : "denied";
}
