// SPDX-License-Identifier: Apache-2.0

import { badRequest } from "../../apiserver/status/api-error.ts";
import { unreachable } from "../../base/assert.ts";
import type { QuerySyntax } from "../../index/language/query-syntax.ts";
import { flotillaMark } from "../../model/names.ts";
import type { LabelRequirement } from "../../model/selectors/label-selector.ts";
import { statuses } from "../../model/status.ts";
import { quote } from "../../model/text.ts";
import { everything, exists, isNoneOf, isNotEmpty, isOneOf, not } from "./row-conditions.ts";

/** The key of the label, and of the annotation, that has an object's cluster. */
export const clusterMark = flotillaMark("cluster");

const statusMark = flotillaMark("status");

/** Labels that every object has in the fleet, by the field of its row. A field that is empty counts as no label. */
const fleetLabels: ReadonlyMap<string, string> = new Map([
  [clusterMark, "cluster"],
  [flotillaMark("region"), "region"],
  [flotillaMark("environment"), "environment"],
  [statusMark, "status"],
]);

/** True for labels whose value is that of the cluster: no change of an object changes them. */
export function isClusterLabel(key: string): boolean {
  return fleetLabels.has(key) && key !== statusMark;
}

type SetRequirement = Extract<LabelRequirement, { readonly values: readonly string[] }>;

/** The condition on rows that a requirement means (FA7). Throws 400 for `>` and `<`, which rows do not compare by. */
export function labelCondition(requirement: LabelRequirement): QuerySyntax {
  const { key, operator } = requirement;
  const fleetField = fleetLabels.get(key);
  const field = fleetField ?? `label.${key}`;
  switch (operator) {
    case "in":
      return isOneOf(field, valuesOf(requirement));
    case "notIn":
      return isNoneOf(field, valuesOf(requirement));
    case "exists":
      return hasLabel(fleetField, field);
    case "notExists":
      return not(hasLabel(fleetField, field));
    case "greater":
    case "less":
      throw badRequest(
        `the fleet does not compare labels by > and <; select ${key} by =, !=, in, notin or its existence`,
      );
    default:
      return unreachable(operator, "operator");
  }
}

function hasLabel(fleetField: string | undefined, field: string): QuerySyntax {
  if (fleetField === undefined) return exists(field);
  return fleetField === "status" ? everything : isNotEmpty(fleetField);
}

/** No object has one of the fleet's labels with an empty value, so "" selects none. */
function valuesOf({ key, values }: SetRequirement): readonly string[] {
  if (!fleetLabels.has(key)) return values;
  const given = values.filter((value) => value !== "");
  const unknown = key === statusMark ? given.find((value) => !statuses.some((status) => status === value)) : undefined;
  if (unknown !== undefined)
    throw badRequest(`${statusMark} is one of ${statuses.join(", ")}; ${quote(unknown)} is none of them`);
  return given;
}
