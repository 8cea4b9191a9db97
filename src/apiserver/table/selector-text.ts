// SPDX-License-Identifier: Apache-2.0
// Labels and selectors as one line of text.

import { compareUtf8 } from "../../model/text.ts";
import { type JsonObject } from "../json/json.ts";
import { objectAt, objectsAt, textAt, textsAt } from "../json/json-fields.ts";
import { toGoText } from "./go-text.ts";

/** Labels sorted by key: `app=web,tier=front`; `<none>` without labels. */
export function formatLabels(labels: JsonObject | undefined): string {
  const terms = labelTerms(labels).toSorted((a, b) => compareUtf8(a.key, b.key));
  return terms.length === 0 ? "<none>" : terms.map(({ text }) => text).join(",");
}

/** A label selector; `<none>` for an empty one. */
export function formatSelector(selector: JsonObject | undefined): string {
  const text = selectorText(selector);
  return text === "" ? "<none>" : text;
}

/** A label selector in query form: `app=web,tier in (back,front),!old`. */
export function selectorText(selector: JsonObject | undefined): string {
  if (selector === undefined) return "";
  const terms = [...labelTerms(objectAt(selector, "matchLabels")), ...expressionTerms(selector)];
  return terms
    .toSorted((a, b) => compareUtf8(a.key, b.key))
    .map(({ text }) => text)
    .join(",");
}

interface Term {
  readonly key: string;
  readonly text: string;
}

function labelTerms(labels: JsonObject | undefined): readonly Term[] {
  return Object.entries(labels ?? {}).map(([key, value]) => ({ key, text: `${key}=${toGoText(value)}` }));
}

function expressionTerms(selector: JsonObject): readonly Term[] {
  return objectsAt(selector, "matchExpressions").map((expression) => {
    const key = textAt(expression, "key") ?? "";
    const values = textsAt(expression, "values").toSorted(compareUtf8).join(",");
    const texts = new Map([
      ["In", `${key} in (${values})`],
      ["NotIn", `${key} notin (${values})`],
      ["Exists", key],
      ["DoesNotExist", `!${key}`],
    ]);
    return { key, text: texts.get(textAt(expression, "operator") ?? "") ?? "" };
  });
}
