// SPDX-License-Identifier: Apache-2.0
import type { SchemaNode } from "../schema/schema-node.ts";
import { compilePattern } from "./pattern.ts";
import { errorWithoutField, invalidAt, textTooLong, wrongType } from "./schema-errors.ts";
import { findTextFormat } from "./text-formats.ts";
import { formatOf } from "./type-check.ts";
import type { ValidationBudget } from "./validation-budget.ts";
import type { SchemaError, ValidationResult } from "./validation-result.ts";

/** Checks the length, pattern and format of a text. Only the first error of length and pattern is reported. */
export function compileTextCheck(
  node: SchemaNode,
): (text: string, at: string, budget: ValidationBudget, result: ValidationResult) => void {
  const { minLength, maxLength } = node;
  const matchPattern = compilePatternCheck(node.pattern);
  const format = formatOf(node);
  const hasFormat = findTextFormat(format);

  const findError = (text: string, at: string, budget: ValidationBudget): SchemaError | undefined => {
    if (maxLength !== undefined && isLongerThan(text, maxLength)) return textTooLong(at, maxLength);
    if (minLength !== undefined && minLength > 0 && !isLongerThan(text, minLength - 1))
      return invalidAt(at, text, `should be at least ${minLength} chars long`);
    return matchPattern?.(text, at, budget);
  };
  return (text, at, budget, result) => {
    const error = findError(text, at, budget);
    if (error !== undefined) result.add(error);
    result.matchCount += 1;
    if (hasFormat === undefined) return;
    if (!hasFormat(text)) result.add(wrongType(at, format, text));
    result.matchCount += 1;
  };
}

function compilePatternCheck(
  source: string,
): ((text: string, at: string, budget: ValidationBudget) => SchemaError | undefined) | undefined {
  if (source === "") return undefined;
  const pattern = compilePattern(source);
  if (typeof pattern === "string")
    return (text, at) => invalidAt(at, text, `should match '${source}, but pattern is invalid: ${pattern}'`);
  return (text, at, budget) => {
    if (!budget.spend(pattern.stepCount(text)))
      return errorWithoutField(`${at} in body is too long to be matched with its pattern`);
    return pattern.matches(text) ? undefined : invalidAt(at, text, `should match '${source}'`);
  };
}

/** Whether the text has more than `count` characters, as Go counts them. Stops as early as possible. */
function isLongerThan(text: string, count: number): boolean {
  if (text.length <= count) return false;
  if (text.length > count * 2) return true;
  let found = 0;
  for (const _character of text) {
    found += 1;
    if (found > count) return true;
  }
  return false;
}
