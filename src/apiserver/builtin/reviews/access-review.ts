// SPDX-License-Identifier: Apache-2.0
// SelfSubjectAccessReview, SubjectAccessReview and LocalSubjectAccessReview: request, validation and response.

import type { Subject } from "../../../model/subject.ts";
import type { RequestAttributes } from "../../../rbac/attributes.ts";
import type { AccessVerdict } from "../../../rbac/authorize.ts";
import { copyJson, type DraftObject, type JsonObject } from "../../json/json.ts";
import { objectAt, textOf, textsAt } from "../../json/json-fields.ts";
import { badRequest, invalid } from "../../status/api-error.ts";
import { type FieldError, invalidValue } from "../../status/field-error.ts";
import { objectOf } from "../checks/field-checks.ts";
import { without } from "../checks/go-values-in-messages.ts";
import { selectorProblems, validateSelectors } from "./review-selectors.ts";

/** The subject of the review: the caller, any subject, or any subject within one namespace. */
export type AccessReviewKind = "SelfSubjectAccessReview" | "SubjectAccessReview" | "LocalSubjectAccessReview";

/**
 * Throws kube-apiserver's error for an invalid review. `namespace` is that of the request path; empty if it has none.
 */
export function checkAccessReview(kind: AccessReviewKind, review: JsonObject, namespace: string): void {
  const errors = [
    ...validateSpec(kind, objectOf(review, "spec")),
    ...validateMetadata(kind, objectOf(review, "metadata")),
    ...(kind === "LocalSubjectAccessReview" ? validateLocal(review) : []),
  ];
  // kube-apiserver omits the kind from this message.
  if (errors.length > 0) throw invalid({ group: "authorization.k8s.io", kind: "" }, "", errors);
  if (kind !== "LocalSubjectAccessReview") return;
  if (namespace !== textOf(review, "metadata", "namespace"))
    throw badRequest(`spec.resourceAttributes.namespace must match namespace: ${namespace}`);
}

/** The attributes of the review. Requires a valid review: it has exactly one kind of attributes. */
export function attributesOfReview(review: JsonObject): RequestAttributes {
  const spec = objectOf(review, "spec");
  const asked = objectAt(spec, "resourceAttributes");
  if (asked === undefined) {
    const other = objectOf(spec, "nonResourceAttributes");
    return { kind: "nonResource", verb: textOf(other, "verb"), path: textOf(other, "path") };
  }
  return {
    kind: "resource",
    verb: textOf(asked, "verb"),
    apiGroup: textOf(asked, "group"),
    resource: textOf(asked, "resource"),
    subresource: textOf(asked, "subresource"),
    namespace: textOf(asked, "namespace"),
    name: textOf(asked, "name"),
  };
}

/**
 * The subject of a SubjectAccessReview or LocalSubjectAccessReview. It has exactly the groups in the review, no implied
 * ones.
 */
export function subjectOfReview(review: JsonObject): Subject {
  const spec = objectOf(review, "spec");
  const extra = objectOf(spec, "extra");
  return {
    user: textOf(spec, "user"),
    groups: [...new Set(textsAt(spec, "groups"))],
    extra: new Map(Object.keys(extra).map((key) => [key, textsAt(extra, key)])),
  };
}

/** The response: the review with the decision as its status. */
export function answerAccessReview(kind: AccessReviewKind, review: JsonObject, verdict: AccessVerdict): DraftObject {
  const namespace = textOf(review, "metadata", "namespace");
  const problems = [
    ...verdict.errors.map(({ message }) => message),
    ...selectorProblems(objectOf(objectOf(review, "spec"), "resourceAttributes")),
  ];
  return {
    kind,
    apiVersion: "authorization.k8s.io/v1",
    metadata: namespace === "" ? {} : { namespace },
    spec: copyJson(objectOf(review, "spec")),
    status: {
      allowed: verdict.decision === "allow",
      ...(verdict.decision === "deny" ? { denied: true } : {}),
      ...(verdict.reason === "" ? {} : { reason: verdict.reason }),
      ...(problems.length === 0 ? {} : { evaluationError: problems.join("; ") }),
    },
  };
}

function validateSpec(kind: AccessReviewKind, spec: JsonObject): readonly FieldError[] {
  const resource = objectAt(spec, "resourceAttributes");
  const other = objectAt(spec, "nonResourceAttributes");
  const errors: FieldError[] = [];
  if (resource !== undefined && other !== undefined)
    errors.push(
      invalidValue(
        "spec.nonResourceAttributes",
        shownNonResource(other),
        "cannot be specified in combination with resourceAttributes",
      ),
    );
  if (resource === undefined && other === undefined)
    errors.push(
      invalidValue(
        "spec.resourceAttributes",
        null,
        "exactly one of nonResourceAttributes or resourceAttributes must be specified",
      ),
    );
  const hasNoSubject = textOf(spec, "user") === "" && textsAt(spec, "groups").length === 0;
  if (kind !== "SelfSubjectAccessReview" && hasNoSubject)
    errors.push(invalidValue("spec.user", "", "at least one of user or group must be specified"));
  if (resource !== undefined) errors.push(...validateSelectors(resource, "spec.resourceAttributes"));
  return errors;
}

/** Reviews must not have metadata, except the namespace of a local one. */
function validateMetadata(kind: AccessReviewKind, metadata: JsonObject): readonly FieldError[] {
  const isLocal = kind === "LocalSubjectAccessReview";
  const shown = without(metadata, "managedFields");
  const rest = isLocal ? without(shown, "namespace") : shown;
  if (Object.values(rest).every((value) => value === null || value === "")) return [];
  return [invalidValue("metadata", shown, isLocal ? "must be empty except for namespace" : "must be empty")];
}

function validateLocal(review: JsonObject): readonly FieldError[] {
  const spec = objectOf(review, "spec");
  const resource = objectAt(spec, "resourceAttributes");
  const other = objectAt(spec, "nonResourceAttributes");
  const asked = resource === undefined ? "" : textOf(resource, "namespace");
  const isElsewhere = resource !== undefined && asked !== textOf(review, "metadata", "namespace");
  return [
    ...(isElsewhere ? [invalidValue("spec.resourceAttributes.namespace", asked, "must match metadata.namespace")] : []),
    ...(other === undefined
      ? []
      : [invalidValue("spec.nonResourceAttributes", shownNonResource(other), "disallowed on this kind of request")]),
  ];
}

/** Error messages print kube-apiserver's internal form. */
function shownNonResource(attributes: JsonObject): JsonObject {
  return { Path: textOf(attributes, "path"), Verb: textOf(attributes, "verb") };
}
