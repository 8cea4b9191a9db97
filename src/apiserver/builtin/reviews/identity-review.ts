// SPDX-License-Identifier: Apache-2.0
// SelfSubjectReview and TokenReview: the identity of the caller, and of the owner of a token.

import type { Subject } from "../../../model/subject.ts";
import { copyJson, type DraftObject, type JsonObject, setKey } from "../../json/json.ts";
import { textOf, textsAt } from "../../json/json-fields.ts";
import { formatTime } from "../../schema-decode/go-time.ts";
import { badRequest } from "../../status/api-error.ts";
import { objectOf } from "../checks/field-checks.ts";

/** A subject with its uid. */
export interface ReviewedUser {
  readonly subject: Subject;
  readonly uid?: string;
}

/** The result of a token check: user and audiences, or the error. */
export type TokenVerdict =
  | { readonly user: ReviewedUser; readonly audiences: readonly string[] }
  | { readonly error: string };

/** The response to a SelfSubjectReview. */
export function answerSelfSubjectReview(user: ReviewedUser, nowMs: number): DraftObject {
  return {
    kind: "SelfSubjectReview",
    apiVersion: "authentication.k8s.io/v1",
    metadata: { creationTimestamp: formatTime(nowMs) },
    status: { userInfo: userInfo(user) },
  };
}

/** The token of a TokenReview and the requested audiences. Throws if the token is missing. */
export function tokenOfReview(review: JsonObject): { readonly token: string; readonly audiences: readonly string[] } {
  const token = textOf(review, "spec", "token");
  if (token === "") throw badRequest("token is required for TokenReview in authentication");
  return { token, audiences: textsAt(review, "spec", "audiences") };
}

/** The response to a TokenReview: the review with the verdict as its status. */
export function answerTokenReview(review: JsonObject, verdict: TokenVerdict): DraftObject {
  return {
    kind: "TokenReview",
    apiVersion: "authentication.k8s.io/v1",
    metadata: {},
    spec: copyJson(objectOf(review, "spec")),
    status:
      "error" in verdict
        ? { user: {}, ...(verdict.error === "" ? {} : { error: verdict.error }) }
        : {
            authenticated: true,
            user: userInfo(verdict.user),
            ...(verdict.audiences.length === 0 ? {} : { audiences: [...verdict.audiences] }),
          },
  };
}

function userInfo({ subject, uid = "" }: ReviewedUser): DraftObject {
  const extra: DraftObject = {};
  for (const [key, values] of subject.extra ?? []) setKey(extra, key, [...values]);
  return {
    ...(subject.user === "" ? {} : { username: subject.user }),
    ...(uid === "" ? {} : { uid }),
    ...(subject.groups.length === 0 ? {} : { groups: [...subject.groups] }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}
