// SPDX-License-Identifier: Apache-2.0
import { compareUtf8 } from "../model/text.ts";
import { listOf, textMapOf, textOf, textsOf } from "./fields.ts";

/** A LabelSelector of an object as sorted texts that must all match: `app=web`, `tier in (a,b)`, `!old` (KI8). */
export function labelSelectorTexts(selector: unknown): string[] {
  const equal = Array.from(textMapOf(selector, "matchLabels"), ([key, value]) => `${key}=${value}`);
  const expressions = listOf(selector, "matchExpressions").flatMap((each) => expressionText(each) ?? []);
  return [...equal, ...expressions].sort(compareUtf8);
}

function expressionText(expression: unknown): string | undefined {
  const key = textOf(expression, "key");
  if (key === undefined) return undefined;
  const values = [...textsOf(expression, "values")].sort(compareUtf8).join(",");
  switch (textOf(expression, "operator")) {
    case "In":
      return `${key} in (${values})`;
    case "NotIn":
      return `${key} notin (${values})`;
    case "Exists":
      return key;
    case "DoesNotExist":
      return `!${key}`;
    default:
      return undefined;
  }
}
