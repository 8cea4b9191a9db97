// SPDX-License-Identifier: Apache-2.0
// Reviews of access and identity: created by POST, never stored.
import type { Subject } from "../../model/subject.ts";
import { reviewRules } from "../../rbac/subject-rules.ts";
import {
  type AccessReviewKind,
  answerAccessReview,
  attributesOfReview,
  checkAccessReview,
  subjectOfReview,
} from "../builtin/reviews/access-review.ts";
import {
  answerSelfSubjectReview,
  answerTokenReview,
  type ReviewedUser,
  tokenOfReview,
} from "../builtin/reviews/identity-review.ts";
import { answerRulesReview, namespaceOfRulesReview } from "../builtin/reviews/rules-review.ts";
import { ensureObject, type JsonObject } from "../json/json.ts";
import { choosePlainForm } from "../request/accept.ts";
import type { ApiResponse } from "../request/api-request.ts";
import { readObject } from "../request/read-body.ts";
import { parseWriteOptions } from "../request/write-options.ts";
import { noSuchResource } from "../status/api-error.ts";
import { fillNamespace } from "../verbs/create-object.ts";
import type { ApiContext, ResourceRequest } from "./api-context.ts";
import { documentResponse } from "./respond.ts";

/** Answers the review in the request body. */
export async function handleReview(context: ApiContext, asked: ResourceRequest): Promise<ApiResponse> {
  const { request, resource } = asked;
  const { fieldValidation } = parseWriteOptions(request.query, "CreateOptions");
  const review = await readObject(request, {
    table: context.table,
    resource,
    validation: fieldValidation,
    warnings: asked.warnings,
  });
  // As for any namespaced object, the path determines the namespace.
  if (resource.facts.namespaced) fillNamespace(asked.attributes.namespace, ensureObject(review, "metadata"));
  const mediaType = choosePlainForm(request.header("accept"));
  return documentResponse(201, await answerReview(context, asked, review), mediaType);
}

async function answerReview(
  context: ApiContext,
  { resource, attributes, user }: ResourceRequest,
  review: JsonObject,
): Promise<JsonObject> {
  const { kind } = resource.facts;
  switch (kind) {
    case "SelfSubjectAccessReview":
    case "SubjectAccessReview":
    case "LocalSubjectAccessReview":
      return answerAccess(context, kind, { review, namespace: attributes.namespace, user });
    case "SelfSubjectRulesReview":
      return answerRulesReview(reviewRules(context.policy, user, namespaceOfRulesReview(review)));
    case "SelfSubjectReview":
      return answerSelfSubjectReview(reviewed(user), context.cluster.clock.wallMs());
    case "TokenReview": {
      const { token, audiences } = tokenOfReview(review);
      const verdict = await context.authenticate(token, audiences.length === 0 ? undefined : audiences);
      return answerTokenReview(
        review,
        "error" in verdict ? verdict : { user: reviewed(verdict.subject), audiences: verdict.audiences },
      );
    }
    default:
      throw noSuchResource();
  }
}

function reviewed(subject: Subject): ReviewedUser {
  return { subject, ...(subject.uid === undefined ? {} : { uid: subject.uid }) };
}

function answerAccess(
  { authorizer }: ApiContext,
  kind: AccessReviewKind,
  asked: { readonly review: JsonObject; readonly namespace: string; readonly user: Subject },
): JsonObject {
  const { review } = asked;
  checkAccessReview(kind, review, asked.namespace);
  const subject = kind === "SelfSubjectAccessReview" ? asked.user : subjectOfReview(review);
  return answerAccessReview(kind, review, authorizer(subject, attributesOfReview(review)));
}
