// SPDX-License-Identifier: Apache-2.0
// Validation of values by schemas. The checks of a schema are compiled once and run in kube-apiserver's order.
import { isList, isObject, type Json } from "../../json/json.ts";
import type { FieldError } from "../../status/field-error.ts";
import { invalidValue } from "../../status/field-error.ts";
import type { SchemaNode } from "../schema/schema-node.ts";
import { compileAlternatives } from "./alternatives.ts";
import { compileEnumCheck } from "./enum-check.ts";
import { compileListCheck, compileObjectCheck } from "./list-and-object-checks.ts";
import { compileNumberCheck } from "./number-checks.ts";
import { compileTextCheck } from "./text-check.ts";
import { compileTypeCheck, formatOf, typesOf } from "./type-check.ts";
import { maxStepCount, ValidationBudget, type ValueCheck } from "./validation-budget.ts";
import { toFieldErrors, ValidationResult } from "./validation-result.ts";

/** Cost of checking one value by one schema: about half a microsecond. */
const checkStepCount = 50;

/**
 * Cost of one error at each level that it passes through: creating, comparing and merging its message takes about four
 * microseconds.
 */
const errorStepCount = 400;

/** The errors of a value. Their fields are below `field`. */
export type Validate = (value: Json, field?: string) => readonly FieldError[];

/**
 * Compiles the validation by a schema. It never throws and its work is bounded: a value that takes too much work is
 * refused.
 */
export function compileValidation(node: SchemaNode, maxSteps = maxStepCount): Validate {
  const check = compileValueCheck(node);
  return (value, field) => {
    const budget = new ValidationBudget(maxSteps);
    const result = check(value, "", budget);
    const errors = toFieldErrors(result, field);
    if (!budget.isExceeded) return errors;
    return [
      ...errors,
      invalidValue(field ?? "<nil>", "", "validation takes more work than this server does for one object"),
    ];
  };
}

function compileValueCheck(node: SchemaNode): ValueCheck {
  const types = typesOf(node);
  const hasTypeCheck = types.length > 0 || formatOf(node) !== "";
  const checkType = compileTypeCheck(node);
  const checkAlternatives = compileAlternatives(node, compileValueCheck);
  const checkText = compileTextCheck(node);
  const checkNumber = compileNumberCheck(node, types.length === 1 ? node.type : "", formatOf(node));
  const checkList = compileListCheck(node, compileValueCheck);
  const checkEnum = compileEnumCheck(node.enum);
  const checkObject = compileObjectCheck(node, compileValueCheck);

  // The match counts equal those of Go's validator. They select the reported one of several failed alternatives.
  return (value, at, budget) => {
    const result = new ValidationResult();
    if (!budget.spend(checkStepCount)) return result;
    if (value === null) {
      checkType(value, at, result);
      checkEnum(value, at, result);
      return result;
    }
    if (hasTypeCheck) {
      checkType(value, at, result);
      result.matchCount += 1;
    }
    checkAlternatives(value, at, budget, result);
    result.matchCount += 2;
    if (typeof value === "string") checkText(value, at, budget, result);
    else if (typeof value === "number" || typeof value === "bigint") {
      checkNumber(value, at, result);
      result.matchCount += 2;
    } else if (isList(value)) {
      checkList(value, at, budget, result);
      result.matchCount += 2;
    }
    checkEnum(value, at, result);
    result.matchCount += 1;
    if (isObject(value)) {
      checkObject(value, at, budget, result);
      result.matchCount += 1;
    }
    result.matchCount += 1;
    if (!result.isValid) budget.spend(result.errors.length * errorStepCount);
    return result;
  };
}
