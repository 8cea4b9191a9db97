// SPDX-License-Identifier: Apache-2.0
// Questions in the words of the roles that every cluster is born with.
import * as fc from "fast-check";
import { createSubject, type Subject, serviceAccountUser } from "../../../src/model/subject.ts";
import type { RequestAttributes } from "../../../src/rbac/attributes.ts";
import type { PolicyRule } from "../../../src/rbac/rbac-types.ts";
import type { RbacLists } from "../../../src/rbac/testing/arbitrary-rbac.ts";

/** Everybody whom some binding names, each once; a group is asked about as somebody in it. */
export function subjectsOf(lists: RbacLists): readonly Subject[] {
  const named = [...lists.roleBindings, ...lists.clusterRoleBindings].flatMap(({ subjects, namespace: ofBinding }) =>
    subjects.map(({ kind, name, namespace }) => {
      if (kind === "Group") return { user: "somebody", groups: [name] };
      return createSubject({ user: kind === "User" ? name : serviceAccountUser(namespace || ofBinding, name) });
    }),
  );
  return [...new Map(named.map((subject) => [JSON.stringify(subject), subject])).values()];
}

/** Mostly a word of the rule's own, so that a good part of what is asked is granted; at times of any rule. */
function wordOf(own: readonly string[], all: readonly string[]): fc.Arbitrary<string> {
  const anyWord = fc.constantFrom(...all);
  if (own.length === 0) return anyWord;
  return fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...own) }, { weight: 1, arbitrary: anyWord });
}

/** Requests made of the words of these rules. */
export function requestsFrom(
  rules: readonly PolicyRule[],
  namespaces: readonly string[],
): fc.Arbitrary<RequestAttributes> {
  const all = (part: keyof PolicyRule): readonly string[] => [...new Set(rules.flatMap((rule) => rule[part]))];
  const verbs = all("verbs");
  const groups = all("apiGroups");
  const resources = all("resources");
  const names = ["", "x", ...all("resourceNames")];
  const paths = [...all("nonResourceURLs"), "/healthz/ping", "/apis/apps/v1", "/metrics/slis"];
  return fc.constantFrom(...rules).chain((rule): fc.Arbitrary<RequestAttributes> => {
    const verb = wordOf(rule.verbs, verbs);
    if (rule.nonResourceURLs.length > 0) {
      return fc.record({ kind: fc.constant("nonResource"), verb, path: wordOf(rule.nonResourceURLs, paths) });
    }
    const parts = fc.record({
      verb,
      apiGroup: wordOf(rule.apiGroups, groups),
      combined: wordOf(rule.resources, resources),
      namespace: fc.constantFrom("", ...namespaces),
      name: wordOf(rule.resourceNames, names),
    });
    return parts.map(({ combined, ...rest }) => {
      const [resource = "", subresource = ""] = combined.split("/");
      return { kind: "resource", resource, subresource, ...rest };
    });
  });
}
