// SPDX-License-Identifier: Apache-2.0
// allOf, anyOf, oneOf and not. If all alternatives fail, the errors of the one with the most matches are reported.
import type { Json } from "../../json/json.ts";
import type { SchemaNode } from "../schema/schema-node.ts";
import { errorWithoutField } from "./schema-errors.ts";
import type { ValidationBudget, ValueCheck } from "./validation-budget.ts";
import type { ValidationResult } from "./validation-result.ts";

type Check = (value: Json, at: string, budget: ValidationBudget, result: ValidationResult) => void;

/** Compiles the checks of a schema's alternatives, in the order anyOf, oneOf, allOf, not. */
export function compileAlternatives(node: SchemaNode, compile: (node: SchemaNode) => ValueCheck): Check {
  const anyOf = node.anyOf.map(compile);
  const oneOf = node.oneOf.map(compile);
  const allOf = node.allOf.map(compile);
  const not = node.not && compile(node.not);
  return (value, at, budget, result) => {
    if (anyOf.length > 0) checkAnyOf(anyOf, { value, at, budget, result });
    if (oneOf.length > 0) checkOneOf(oneOf, { value, at, budget, result });
    if (allOf.length > 0) checkAllOf(allOf, { value, at, budget, result });
    if (not?.(value, at, budget).isValid === true)
      result.add(errorWithoutField(`${JSON.stringify(at)} must not validate the schema (not)`));
  };
}

interface Subject {
  readonly value: Json;
  readonly at: string;
  readonly budget: ValidationBudget;
  readonly result: ValidationResult;
}

function checkAnyOf(checks: readonly ValueCheck[], { value, at, budget, result }: Subject): void {
  let best: ValidationResult | undefined;
  for (const check of checks) {
    if (budget.isExceeded) return;
    const found = check(value, at, budget);
    if (found.isValid) {
      result.merge(found);
      return;
    }
    best = betterOf(best, found);
  }
  result.add(errorWithoutField(`${JSON.stringify(at)} must validate at least one schema (anyOf)`));
  if (best !== undefined) result.merge(best);
}

function checkOneOf(checks: readonly ValueCheck[], { value, at, budget, result }: Subject): void {
  let best: ValidationResult | undefined;
  let first: ValidationResult | undefined;
  let validCount = 0;
  for (const check of checks) {
    if (budget.isExceeded) return;
    const found = check(value, at, budget);
    if (found.isValid) {
      validCount += 1;
      first ??= found;
    } else best = betterOf(best, found);
  }
  if (validCount === 1 && first !== undefined) {
    result.merge(first);
    return;
  }
  const tally = validCount === 0 ? "Found none valid" : `Found ${validCount} valid alternatives`;
  result.add(errorWithoutField(`${JSON.stringify(at)} must validate one and only one schema (oneOf). ${tally}`));
  if (validCount === 0 && best !== undefined) result.merge(best);
}

function checkAllOf(checks: readonly ValueCheck[], { value, at, budget, result }: Subject): void {
  let validCount = 0;
  for (const check of checks) {
    if (budget.isExceeded) return;
    const found = check(value, at, budget);
    if (found.isValid) validCount += 1;
    result.merge(found);
  }
  if (validCount === checks.length) return;
  const tally = validCount === 0 ? ". None validated" : "";
  result.add(errorWithoutField(`${JSON.stringify(at)} must validate all the schemas (allOf)${tally}`));
}

function betterOf(best: ValidationResult | undefined, found: ValidationResult): ValidationResult {
  return best === undefined || found.matchCount > best.matchCount ? found : best;
}
