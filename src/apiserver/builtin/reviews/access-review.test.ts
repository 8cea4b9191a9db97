// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { JsonObject } from "../../json/json.ts";
import {
  type AccessReviewKind,
  answerAccessReview,
  attributesOfReview,
  checkAccessReview,
  subjectOfReview,
} from "./access-review.ts";

const pods = { resourceAttributes: { verb: "get", resource: "pods", namespace: "n" } };

test.each<[AccessReviewKind, JsonObject, string, string]>([
  [
    "SelfSubjectAccessReview",
    { spec: {} },
    "",
    '.authorization.k8s.io "" is invalid: spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
  ],
  [
    "SelfSubjectAccessReview",
    { spec: { ...pods, nonResourceAttributes: { path: "/x", verb: "get" } } },
    "",
    '.authorization.k8s.io "" is invalid: spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":"get"}: cannot be specified in combination with resourceAttributes',
  ],
  [
    "SubjectAccessReview",
    { spec: pods },
    "",
    '.authorization.k8s.io "" is invalid: spec.user: Invalid value: "": at least one of user or group must be specified',
  ],
  [
    "SubjectAccessReview",
    { metadata: { name: "x" }, spec: { ...pods, user: "bob" } },
    "",
    '.authorization.k8s.io "" is invalid: metadata: Invalid value: {"name":"x"}: must be empty',
  ],
  [
    "LocalSubjectAccessReview",
    { metadata: { namespace: "other" }, spec: { ...pods, user: "bob" } },
    "other",
    '.authorization.k8s.io "" is invalid: spec.resourceAttributes.namespace: Invalid value: "n": must match metadata.namespace',
  ],
  [
    "LocalSubjectAccessReview",
    { metadata: { namespace: "n" }, spec: { ...pods, user: "bob" } },
    "m",
    "spec.resourceAttributes.namespace must match namespace: m",
  ],
])("%s with %j is refused", (kind, review, namespace, message) => {
  expect(() => checkAccessReview(kind, review, namespace)).toThrow(message);
});

test("a review of a subject asks about that subject with no other groups than it names", () => {
  const review = { spec: { ...pods, user: "bob", groups: ["a", "a"], extra: { k: ["v"] } } };
  expect(() => checkAccessReview("SubjectAccessReview", review, "")).not.toThrow();
  expect(subjectOfReview(review)).toEqual({ user: "bob", groups: ["a"], extra: new Map([["k", ["v"]]]) });
});

test("attributes are those of the request that is asked about", () => {
  expect(attributesOfReview({ spec: pods })).toEqual({
    kind: "resource",
    verb: "get",
    apiGroup: "",
    resource: "pods",
    subresource: "",
    namespace: "n",
    name: "",
  });
  expect(attributesOfReview({ spec: { nonResourceAttributes: { path: "/metrics", verb: "get" } } })).toEqual({
    kind: "nonResource",
    verb: "get",
    path: "/metrics",
  });
});

test.each([
  ["allow", { allowed: true, reason: "r" }],
  ["deny", { allowed: false, denied: true, reason: "r" }],
  ["noOpinion", { allowed: false, reason: "r" }],
] as const)("the decision %s has the status %j", (decision, status) => {
  const answer = answerAccessReview("SelfSubjectAccessReview", { spec: pods }, { decision, reason: "r", errors: [] });
  expect(answer).toEqual({
    kind: "SelfSubjectAccessReview",
    apiVersion: "authorization.k8s.io/v1",
    metadata: {},
    spec: pods,
    status,
  });
});

test("invalid selectors and evaluation errors are in the status", () => {
  const resourceAttributes = {
    labelSelector: { rawSelector: "a in b" },
    fieldSelector: {
      requirements: [
        { key: "a", operator: "Foo" },
        { key: "b", operator: "In", values: ["c"] },
      ],
    },
  };
  const verdict = { decision: "noOpinion", reason: "", errors: [{ message: "no role" }] } as const;
  expect(answerAccessReview("SelfSubjectAccessReview", { spec: { resourceAttributes } }, verdict)["status"]).toEqual({
    allowed: false,
    evaluationError:
      "no role; spec.resourceAttributes.fieldSelector partially ignored due to parse error; spec.resourceAttributes.labelSelector ignored due to parse error",
  });
});
