// SPDX-License-Identifier: Apache-2.0
import type { AccessReviewKind } from "../../../src/apiserver/builtin/reviews/access-review.ts";
import type { JsonObject } from "../../../src/apiserver/json/json.ts";

/** A question about somebody who has no rights, so that the answer is always no. */
export interface ReviewCase {
  readonly kind: AccessReviewKind;
  readonly review: JsonObject;
}

const pods = { verb: "get", resource: "pods" };

/**
 * Questions, good and bad. Metadata is not among them: the sentence about it shows managed fields, which we do not
 * have.
 */
export const reviewCases: readonly ReviewCase[] = [
  { kind: "SubjectAccessReview", review: { spec: {} } },
  { kind: "SubjectAccessReview", review: { spec: { user: "bob", resourceAttributes: pods } } },
  { kind: "SubjectAccessReview", review: { spec: { groups: ["ops"], extra: { a: ["b"] }, resourceAttributes: pods } } },
  {
    kind: "SubjectAccessReview",
    review: { spec: { user: "bob", nonResourceAttributes: { path: "/x", verb: "get" } } },
  },
  {
    kind: "SubjectAccessReview",
    review: { spec: { user: "bob", resourceAttributes: pods, nonResourceAttributes: { path: "/x" } } },
  },
  {
    kind: "SubjectAccessReview",
    review: {
      spec: {
        user: "bob",
        resourceAttributes: {
          ...pods,
          labelSelector: {},
          fieldSelector: { rawSelector: "a=b", requirements: [{ key: "a", operator: "In", values: ["b"] }] },
        },
      },
    },
  },
  {
    kind: "SubjectAccessReview",
    review: {
      spec: {
        user: "bob",
        resourceAttributes: {
          ...pods,
          fieldSelector: {
            requirements: [
              { key: "", operator: "Exists", values: ["b"] },
              { key: "b", operator: "In" },
            ],
          },
          labelSelector: { requirements: [{ key: "a b", operator: "NotIn" }] },
        },
      },
    },
  },
  {
    kind: "SubjectAccessReview",
    review: {
      spec: {
        user: "bob",
        resourceAttributes: {
          ...pods,
          labelSelector: { rawSelector: "a in b" },
          fieldSelector: {
            requirements: [
              { key: "a", operator: "Foo", values: ["x"] },
              { key: "b", operator: "In", values: ["y"] },
            ],
          },
        },
      },
    },
  },
  { kind: "LocalSubjectAccessReview", review: { spec: { user: "bob", resourceAttributes: pods } } },
  {
    kind: "LocalSubjectAccessReview",
    review: { spec: { user: "bob", resourceAttributes: { ...pods, namespace: "default" } } },
  },
  { kind: "LocalSubjectAccessReview", review: { spec: { user: "bob", nonResourceAttributes: { path: "/x" } } } },
];
