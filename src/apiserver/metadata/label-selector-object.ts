// SPDX-License-Identifier: Apache-2.0
// The LabelSelector object of the API (matchLabels, matchExpressions): whom it selects and how it is written as text.
import {
  type LabelRequirement,
  matchesLabels,
  type LabelSelector as Requirements,
} from "../../model/label-selector.ts";
import { compareUtf8 } from "../../model/text.ts";
import { isObject, type Json, type JsonObject, listAt, objectAt, textAt } from "../json/json.ts";
import { validateLabelSelector } from "./label-rules.ts";

/** True when an object with these labels is selected. An absent selector and one with mistakes select nothing, an empty one everything. */
export function matchesLabelSelector(selector: Json | undefined, labels: Json | undefined): boolean {
  return createLabelMatcher(selector)(labels);
}

/** `matchesLabelSelector` for one selector and many objects: the selector is read once. */
export function createLabelMatcher(selector: Json | undefined): (labels: Json | undefined) => boolean {
  const requirements = toRequirements(selector);
  if (requirements === undefined) return () => false;
  return (labels) => matchesLabels(requirements, toLabelMap(labels));
}

/**
 * The selector as the text of a query (`app=web,tier in (a,b)`), as `status.selector` of a Scale has it: by key, values sorted. Empty for a selector that is
 * absent or empty; undefined for one with mistakes.
 */
export function formatLabelSelector(selector: Json | undefined): string | undefined {
  if (!isObject(selector)) return "";
  if (validateLabelSelector(selector, "").length > 0) return undefined;
  const labels = [...toLabelMap(objectAt(selector, "matchLabels"))].map(([key, value]) => ({
    key,
    text: `${key}=${value}`,
  }));
  const expressions = expressionsOf(selector).map((expression) => ({
    key: textAt(expression, "key") ?? "",
    text: expressionText(expression),
  }));
  return [...labels, ...expressions]
    .sort((a, b) => compareUtf8(a.key, b.key))
    .map(({ text }) => text)
    .join(",");
}

/** The selector as a column of a Table shows it. */
export function printLabelSelector(selector: Json | undefined): string {
  const text = formatLabelSelector(selector);
  if (text === undefined) return "<error>";
  return text === "" ? "<none>" : text;
}

function toRequirements(selector: Json | undefined): Requirements | undefined {
  if (!isObject(selector) || validateLabelSelector(selector, "").length > 0) return undefined;
  const labels = [...toLabelMap(objectAt(selector, "matchLabels"))].map(
    ([key, value]): LabelRequirement => ({ operator: "in", key, values: [value] }),
  );
  return [...labels, ...expressionsOf(selector).map(toRequirement)];
}

function toRequirement(expression: JsonObject): LabelRequirement {
  const key = textAt(expression, "key") ?? "";
  switch (textAt(expression, "operator")) {
    case "Exists":
      return { operator: "exists", key };
    case "DoesNotExist":
      return { operator: "notExists", key };
    case "NotIn":
      return { operator: "notIn", key, values: valuesOf(expression) };
    default:
      return { operator: "in", key, values: valuesOf(expression) };
  }
}

function expressionText(expression: JsonObject): string {
  const key = textAt(expression, "key") ?? "";
  const values = [...valuesOf(expression)].sort(compareUtf8).join(",");
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

function expressionsOf(selector: JsonObject): readonly JsonObject[] {
  return (listAt(selector, "matchExpressions") ?? []).filter((expression) => isObject(expression));
}

function valuesOf(expression: JsonObject): readonly string[] {
  return (listAt(expression, "values") ?? []).filter((value) => typeof value === "string");
}

function toLabelMap(labels: Json | undefined): ReadonlyMap<string, string> {
  const map = new Map<string, string>();
  if (!isObject(labels)) return map;
  for (const [key, value] of Object.entries(labels)) if (typeof value === "string") map.set(key, value);
  return map;
}
