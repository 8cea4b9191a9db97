// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { answerSelfSubjectReview, answerTokenReview, tokenOfReview } from "./identity-review.ts";
import { answerRulesReview, namespaceOfRulesReview } from "./rules-review.ts";

const user = { subject: { user: "bob", groups: ["ops"], extra: new Map([["__proto__", ["v"]]]) }, uid: "u-1" };

test("a SelfSubjectReview returns the user", () => {
  const answer = answerSelfSubjectReview(user, Date.parse("2024-01-01T00:00:00.500Z"));
  expect(JSON.parse(JSON.stringify(answer))).toEqual(
    JSON.parse(
      '{"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1","metadata":{"creationTimestamp":"2024-01-01T00:00:00Z"},"status":{"userInfo":{"username":"bob","uid":"u-1","groups":["ops"],"extra":{"__proto__":["v"]}}}}',
    ),
  );
});

test("a token review without a token is refused", () => {
  expect(() => tokenOfReview({ spec: {} })).toThrow("token is required for TokenReview in authentication");
  expect(tokenOfReview({ spec: { token: "t", audiences: ["a"] } })).toEqual({ token: "t", audiences: ["a"] });
});

test.each([
  [{ error: "invalid bearer token" }, { user: {}, error: "invalid bearer token" }],
  [
    { user: { subject: { user: "bob", groups: [] } }, audiences: ["a"] },
    { authenticated: true, user: { username: "bob" }, audiences: ["a"] },
  ],
])("the result %j of a token check has the status %j", (verdict, status) => {
  expect(answerTokenReview({ spec: { token: "t" } }, verdict)).toMatchObject({ spec: { token: "t" }, status });
});

test("a rules review names a namespace, and is answered without the question", () => {
  expect(() => namespaceOfRulesReview({ spec: {} })).toThrow("no namespace on request");
  const rule = { verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: [] };
  const rules = { resourceRules: [rule], nonResourceRules: [], incomplete: false, evaluationError: "" };
  expect(answerRulesReview(rules)).toEqual({
    kind: "SelfSubjectRulesReview",
    apiVersion: "authorization.k8s.io/v1",
    metadata: {},
    spec: {},
    status: {
      resourceRules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }],
      nonResourceRules: [],
      incomplete: false,
    },
  });
});
