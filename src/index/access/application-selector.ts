// SPDX-License-Identifier: Apache-2.0
// The selector of an application: a query text that keys alone decide (AG2).
import { defaultKinds } from "../../kinds/all-kinds.ts";
import { resolveKindName } from "../../kinds/resolve-kind-name.ts";
import { resourceIdText } from "../../model/gvr.ts";
import { quote } from "../../model/text.ts";
import { parseQuery } from "../language/parse-query.ts";
import { refuseQuery } from "../language/query-error.ts";
import { resolveField } from "../language/query-fields.ts";
import type { QueryComparison, QuerySyntax, QueryValue } from "../language/query-syntax.ts";

/** The objects of an application. */
export interface ApplicationSelector {
  /** Patterns of cluster ids. */
  readonly clusters: readonly string[];
  readonly namespaces: readonly string[];
  /** Texts of resource ids: `apps/deployments`. */
  readonly resources: readonly string[];
  /** Empty: all names. */
  readonly names: readonly string[];
}

/** Most values of each field. Every namespace and cluster costs two objects of a policy. */
const maxCounts = { cluster: 32, namespace: 100, kind: 32, name: 100 };

type SelectorField = keyof typeof maxCounts;

const knownKinds = defaultKinds.map(({ resource, kind }) => ({
  resource: resourceIdText(resource),
  kind,
  version: "",
}));

/** A group and a resource, both as Kubernetes takes them. */
const resourceForm = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?\/[a-z0-9]+$/;

/** Parses a selector. Throws INVALID_ARGUMENT with the position of the fault. */
export function parseApplicationSelector(text: string): ApplicationSelector {
  const found = new Map<SelectorField, readonly QueryValue[]>();
  for (const comparison of comparisonsOf(parseQuery(text))) {
    const field = fieldOf(comparison);
    if (found.has(field)) refuseSelector(comparison.at, `${field} is there twice; write its values as a list`);
    if (comparison.values.length > maxCounts[field])
      refuseSelector(comparison.at, `${field} has more than ${maxCounts[field]} values`);
    found.set(field, comparison.values);
  }
  for (const field of ["cluster", "namespace", "kind"] as const)
    if (!found.has(field)) refuseSelector(text.length, `a selector names ${field}, such as ${examples[field]}`);
  const wordsOf = (field: SelectorField): readonly string[] => (found.get(field) ?? []).map(toWord);
  return {
    clusters: (found.get("cluster") ?? []).map(toClusterPattern),
    namespaces: wordsOf("namespace"),
    resources: [...new Set((found.get("kind") ?? []).flatMap(toResources))],
    names: wordsOf("name"),
  };
}

const examples = { cluster: "cluster:prod-*", namespace: "ns:shop", kind: "kind:Deployment,Pod" };

function comparisonsOf(query: QuerySyntax): readonly QueryComparison[] {
  switch (query.kind) {
    case "all":
      return [];
    case "and":
      return query.parts.flatMap(comparisonsOf);
    case "compare":
      return [query];
    case "text":
      return refuseSelector(query.value.at, "a selector has no free text; write a field before it");
    default:
      return refuseSelector(0, `a selector has no ${quote(query.kind)}; write fields beside each other`);
  }
}

function fieldOf({ field: written, operator, at }: QueryComparison): SelectorField {
  const field = resolveField(written)?.field;
  if (field !== "cluster" && field !== "namespace" && field !== "kind" && field !== "name")
    return refuseSelector(at, `${quote(written)} cannot be selected; write cluster, namespace, kind or name`);
  if (operator !== "=") refuseSelector(at, `a selector compares with = alone, not with ${operator}`);
  return field;
}

function toClusterPattern({ pattern, at }: QueryValue): string {
  return /^[-a-z0-9*?]+$/.test(pattern) ? pattern : refuseSelector(at, `${quote(pattern)} matches no cluster id`);
}

function toWord({ pattern, at }: QueryValue): string {
  if (pattern === "" || /[*?\\]/.test(pattern))
    refuseSelector(at, `${quote(pattern)} must be a whole word; wildcards are for clusters`);
  return pattern;
}

function toResources(value: QueryValue): readonly string[] {
  const word = toWord(value);
  const resources = resolveKindName(knownKinds, word);
  if (resources.length > 0) return resources;
  if (resourceForm.test(word)) return [word];
  return refuseSelector(value.at, `there is no kind ${quote(word)}; write GROUP/RESOURCE, such as example.com/widgets`);
}

function refuseSelector(at: number, fault: string): never {
  return refuseQuery(at, fault, "selector");
}
