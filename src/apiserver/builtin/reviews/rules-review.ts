// SPDX-License-Identifier: Apache-2.0
import type { RulesReview } from "../../../rbac/subject-rules.ts";
import { type Draft, type DraftObject, type JsonObject } from "../../json/json.ts";
import { textOf } from "../../json/json-fields.ts";
import { badRequest } from "../../status/api-error.ts";

/** The namespace of a SelfSubjectRulesReview. Throws if it is missing. */
export function namespaceOfRulesReview(review: JsonObject): string {
  const namespace = textOf(review, "spec", "namespace");
  if (namespace === "") throw badRequest("no namespace on request");
  return namespace;
}

/** The response to a SelfSubjectRulesReview. As in kube-apiserver, its spec is empty. */
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
