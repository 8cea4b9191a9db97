// SPDX-License-Identifier: Apache-2.0
import type { RulesReview } from "../../../rbac/subject-rules.ts";
import type { Draft, DraftObject, JsonObject } from "../../json/json.ts";
import { badRequest } from "../../status/api-error.ts";
import { textOf } from "../pod-spec/pod-spec-fields.ts";

/** The namespace that a SelfSubjectRulesReview asks about. Throws where it names none. */
export function namespaceOfRulesReview(review: JsonObject): string {
  const namespace = textOf(review, "spec", "namespace");
  if (namespace === "") throw badRequest("no namespace on request");
  return namespace;
}

/** The review as it is answered; the real server leaves the question out. */
export function answerRulesReview({
  resourceRules,
  nonResourceRules,
  incomplete,
  evaluationError,
}: RulesReview): DraftObject {
  return {
    kind: "SelfSubjectRulesReview",
    apiVersion: "authorization.k8s.io/v1",
    metadata: {},
    spec: {},
    status: {
      resourceRules: resourceRules.map(({ verbs, apiGroups, resources, resourceNames }) => ({
        verbs: [...verbs],
        ...list("apiGroups", apiGroups),
        ...list("resources", resources),
        ...list("resourceNames", resourceNames),
      })),
      nonResourceRules: nonResourceRules.map(({ verbs, nonResourceURLs }) => ({
        verbs: [...verbs],
        ...list("nonResourceURLs", nonResourceURLs),
      })),
      incomplete,
      ...(evaluationError === "" ? {} : { evaluationError }),
    },
  };
}

function list(key: string, texts: readonly string[]): { [key: string]: Draft } {
  return texts.length === 0 ? {} : { [key]: [...texts] };
}
