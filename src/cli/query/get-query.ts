// SPDX-License-Identifier: Apache-2.0
import { unreachable } from "../../base/assert.ts";
import { compareField, literalPattern } from "../../index/language/build-query.ts";
import type { QuerySyntax } from "../../index/language/query-syntax.ts";
import type { LabelRequirement } from "../../model/selectors/label-selector.ts";
import { parseLabelSelector } from "../../model/selectors/label-selector-parse.ts";
import { refuseOption } from "./query-format.ts";
import { globPattern, joinQuery } from "./query-text.ts";

/** A selection of objects as `kubectl get` makes it. Empty lists and texts select everything. */
export interface ObjectSelection {
  /** As kubectl names them; at least one. */
  readonly kinds: readonly string[];
  readonly names: readonly string[];
  readonly namespace: string;
  /** A label selector. */
  readonly selector: string;
  /** Globs. */
  readonly clusters: readonly string[];
  readonly statuses: readonly string[];
}

/**
 * The query text of a selection (CL32). Names, namespaces and label values are literal, clusters are globs. Throws
 * INVALID_ARGUMENT for a selector that is faulty or compares integers.
 */
export function toGetQuery(selection: ObjectSelection): string {
  const { kinds, names, namespace, selector, clusters, statuses } = selection;
  return joinQuery([
    ...equalsOneOf("kind", kinds.map(literalPattern)),
    ...equalsOneOf("cluster", clusters.map(globPattern)),
    ...equalsOneOf("namespace", namespace === "" ? [] : [literalPattern(namespace)]),
    ...equalsOneOf("name", names.map(literalPattern)),
    ...equalsOneOf(
      "status",
      statuses.map((status) => literalPattern(status.toLowerCase())),
    ),
    ...parseLabelSelector(selector).map(toLabelTerm),
  ]);
}

function equalsOneOf(field: string, patterns: readonly string[]): readonly QuerySyntax[] {
  return patterns.length === 0 ? [] : [compareField(field, "=", patterns)];
}

/** `!=` of the query language holds for objects without the label, as `notin` of a selector does. */
function toLabelTerm(requirement: LabelRequirement): QuerySyntax {
  const field = `label.${requirement.key}`;
  switch (requirement.operator) {
    case "in":
      return compareField(field, "=", requirement.values.map(literalPattern));
    case "notIn":
      return compareField(field, "!=", requirement.values.map(literalPattern));
    case "exists":
      return compareField(field, "=", ["*"]);
    case "notExists":
      return compareField(field, "!=", ["*"]);
    case "greater":
    case "less":
      return refuseOption("-l with < or > is not supported; compare with =, !=, in or notin");
    default:
      return unreachable(requirement, "operator of a label selector");
  }
}
