// SPDX-License-Identifier: Apache-2.0
// The API's LabelSelector object (matchLabels, matchExpressions): matching and formatting.

import {
  type LabelRequirement,
  matchesLabels,
  type LabelSelector as Requirements,
} from "../../model/selectors/label-selector.ts";
import { compareUtf8 } from "../../model/text.ts";
import { isObject, type Json, type JsonObject } from "../json/json.ts";
import { objectAt, objectsAt, textAt, textsAt } from "../json/json-fields.ts";
import { validateLabelSelector } from "./label-rules.ts";

/**
 * Whether the selector matches these labels. An absent or invalid selector matches nothing, an empty one everything.
 */
export function matchesLabelSelector(selector: Json | undefined, labels: Json | undefined): boolean {
  return createLabelMatcher(selector)(labels);
}

/** `matchesLabelSelector` for one selector and many objects: parses the selector once. */
export function createLabelMatcher(selector: Json | undefined): (labels: Json | undefined) => boolean {
  const requirements = toRequirements(selector);
  if (requirements === undefined) return () => false;
  return (labels) => matchesLabels(requirements, toLabelMap(labels));
}

/**
 * Formats the selector as in a query (`app=web,tier in (a,b)`) and in `status.selector` of a Scale, with sorted keys
 * and values. Empty for an absent or empty selector; undefined for an invalid one.
 */
export function formatLabelSelector(selector: Json | undefined): string | undefined {
  if (!isObject(selector)) return "";
  if (validateLabelSelector(selector, "").length > 0) return undefined;
  const labels = [...toLabelMap(objectAt(selector, "matchLabels"))].map(([key, value]) => ({
    key,
    text: `${key}=${value}`,
  }));
  const expressions = objectsAt(selector, "matchExpressions").map((expression) => ({
    key: textAt(expression, "key") ?? "",
    text: expressionText(expression),
  }));
  return [...labels, ...expressions]
    .sort((a, b) => compareUtf8(a.key, b.key))
    .map(({ text }) => text)
    .join(",");
}

function toRequirements(selector: Json | undefined): Requirements | undefined {
  if (!isObject(selector) || validateLabelSelector(selector, "").length > 0) return undefined;
  const labels = [...toLabelMap(objectAt(selector, "matchLabels"))].map(
    ([key, value]): LabelRequirement => ({ operator: "in", key, values: [value] }),
  );
  return [...labels, ...objectsAt(selector, "matchExpressions").map(toRequirement)];
}

function toRequirement(expression: JsonObject): LabelRequirement {
  const key = textAt(expression, "key") ?? "";
  switch (textAt(expression, "operator")) {
    case "Exists":
      return { operator: "exists", key };
    case "DoesNotExist":
      return { operator: "notExists", key };
    case "NotIn":
      return { operator: "notIn", key, values: textsAt(expression, "values") };
    default:
      return { operator: "in", key, values: textsAt(expression, "values") };
  }
}

function expressionText(expression: JsonObject): string {
  const key = textAt(expression, "key") ?? "";
  const values = [...textsAt(expression, "values")].sort(compareUtf8).join(",");
  switch (textAt(expression, "operator")) {
    case "Exists":
      return key;
    case "DoesNotExist":
      return `!${key}`;
    case "NotIn":
      return `${key} notin (${values})`;
    default:
      return `${key} in (${values})`;
  }
}

function toLabelMap(labels: Json | undefined): ReadonlyMap<string, string> {
  const map = new Map<string, string>();
  if (!isObject(labels)) return map;
  for (const [key, value] of Object.entries(labels)) if (typeof value === "string") map.set(key, value);
  return map;
}
