// SPDX-License-Identifier: Apache-2.0
import { compareUtf8 } from "../../model/text.ts";
import { findCondition } from "../conditions.ts";
import { integerOf, listOf, textOf, textsOf } from "../fields.ts";
import { type Columns, jsonTexts, type Kind, type KindColumn, type Projected, setColumn } from "../kind.ts";
import { type RouteParent, routeParentsOf } from "./route-parents.ts";
import { routeStatus } from "./route-status.ts";

type Part = Readonly<Record<string, unknown>>;

/** What differs between the kinds of routes. */
export interface RouteKindParts {
  readonly resource: string;
  readonly kind: string;
  readonly versions: readonly string[];
  readonly hasHostnames: boolean;
  /** One match of a rule, without values that may be credentials. Undefined for kinds whose rules have no matches. */
  toMatch?(match: unknown): Part;
}

/**
 * A route kind: parents and their verdicts, hostnames, and weighted backends. Filters are not collected, because they
 * set headers (L18).
 */
export function createRouteKind(parts: RouteKindParts): Kind {
  const hostnames: readonly KindColumn[] = parts.hasHostnames
    ? [{ name: "hostnames", type: "stringList", isMain: true }]
    : [];
  const rules: readonly KindColumn[] =
    parts.toMatch === undefined ? [] : [{ name: "rules", type: "stringList", isJson: true }];
  return {
    resource: { group: "gateway.networking.k8s.io", resource: parts.resource },
    kind: parts.kind,
    versions: parts.versions,
    isNamespaced: true,
    columns: [
      ...hostnames,
      { name: "parents", type: "stringList", isJson: true, isMain: true },
      { name: "backends", type: "stringList", isJson: true, isMain: true },
      ...rules,
    ],
    project: (object) => projectRoute(parts, object),
  };
}

function projectRoute(parts: RouteKindParts, object: unknown): Projected {
  const columns: Columns = new Map();
  const rules = listOf(object, "spec", "rules");
  if (parts.hasHostnames) setColumn(columns, "hostnames", textsOf(object, "spec", "hostnames"));
  const parents = routeParentsOf(object);
  setColumn(columns, "parents", jsonTexts(parents.map(toParent)));
  setColumn(columns, "backends", jsonTexts(rules.flatMap(toBackends)));
  const { toMatch } = parts;
  if (toMatch !== undefined)
    setColumn(columns, "rules", jsonTexts(rules.map((rule, index) => toRule(rule, index, toMatch))));
  return { columns, ...routeStatus(object, parents) };
}

/**
 * A parent as written, with its conditions' status: "True", "False", "Unknown", or absent if the parent has not
 * reported.
 */
function toParent({ reference, conditions }: RouteParent): Part {
  return {
    kind: textOf(reference, "kind") ?? "Gateway",
    namespace: textOf(reference, "namespace"),
    name: textOf(reference, "name"),
    sectionName: textOf(reference, "sectionName"),
    port: integerOf(reference, "port"),
    accepted: findCondition(conditions, "Accepted")?.status,
    resolvedRefs: findCondition(conditions, "ResolvedRefs")?.status,
  };
}

/** The backends of a rule. An absent weight is 1, as the API documents. */
function toBackends(rule: unknown, index: number): readonly Part[] {
  return listOf(rule, "backendRefs").map((each) => ({
    rule: index,
    kind: textOf(each, "kind") ?? "Service",
    namespace: textOf(each, "namespace"),
    name: textOf(each, "name"),
    port: integerOf(each, "port"),
    weight: integerOf(each, "weight") ?? 1,
  }));
}

function toRule(rule: unknown, index: number, toMatch: (match: unknown) => Part): Part {
  const matches = listOf(rule, "matches").map(toMatch);
  return {
    rule: index,
    name: textOf(rule, "name"),
    matches: matches.length === 0 ? undefined : matches,
  };
}

/** The names of the headers or parameters that a match compares, sorted. The compared values are not collected. */
export function comparedNames(match: unknown, field: string): readonly string[] | undefined {
  const names = listOf(match, field).flatMap((each) => textOf(each, "name") ?? []);
  return names.length === 0 ? undefined : names.toSorted(compareUtf8);
}
