// SPDX-License-Identifier: Apache-2.0
// Checks of lists and objects: their sizes, and each part by its own schema.

import { compareUtf8 } from "../../../model/text.ts";
import { getKey, type Json, type JsonObject } from "../../json/json.ts";
import { canonicalJson } from "../../json/stringify-json.ts";
import type { SchemaNode } from "../schema/schema-node.ts";
import {
  duplicateItems,
  forbiddenProperty,
  invalidAt,
  missingProperty,
  tooManyItems,
  tooManyProperties,
} from "./schema-errors.ts";
import type { ValidationBudget, ValueCheck } from "./validation-budget.ts";
import type { ValidationResult } from "./validation-result.ts";

type Compile = (node: SchemaNode) => ValueCheck;

/** Checks the items, then the number of items, then uniqueness. */
export function compileListCheck(
  node: SchemaNode,
  compile: Compile,
): (list: readonly Json[], at: string, budget: ValidationBudget, result: ValidationResult) => void {
  const checkItem = node.items && compile(node.items);
  const { minItems, maxItems, uniqueItems } = node;
  return (list, at, budget, result) => {
    if (checkItem !== undefined)
      for (const [index, item] of list.entries()) {
        if (budget.isExceeded) break;
        result.merge(checkItem(item, `${at}[${index}]`, budget));
      }
    if (minItems !== undefined && list.length < minItems)
      result.add(invalidAt(at, list.length, `should have at least ${minItems} items`));
    if (maxItems !== undefined && list.length > maxItems) result.add(tooManyItems(at, list.length, maxItems));
    if (uniqueItems && new Set(list.map(canonicalJson)).size < list.length) result.add(duplicateItems(at));
  };
}

/** Checks the number of keys, additional properties, named properties, then required ones. */
export function compileObjectCheck(
  node: SchemaNode,
  compile: Compile,
): (object: JsonObject, at: string, budget: ValidationBudget, result: ValidationResult) => void {
  const named = [...node.properties].map(([name, property]) => ({ name, check: compile(property) }));
  const { additionalProperties: additional, minProperties, maxProperties, required } = node;
  const checkOther = typeof additional === "object" ? compile(additional) : undefined;
  const othersOf = (object: JsonObject): readonly string[] =>
    Object.keys(object)
      .filter((key) => !node.properties.has(key))
      .toSorted(compareUtf8);
  return (object, at, budget, result) => {
    const count = Object.keys(object).length;
    if (minProperties !== undefined && count < minProperties)
      result.add(invalidAt(at, count, `should have at least ${minProperties} properties`));
    if (maxProperties !== undefined && count > maxProperties) result.add(tooManyProperties(at, count, maxProperties));
    if (additional === false) for (const key of othersOf(object)) result.add(forbiddenProperty(at, key));
    if (checkOther !== undefined)
      for (const key of othersOf(object)) result.merge(checkOther(getKey(object, key) ?? null, `${at}.${key}`, budget));
    for (const { name, check } of named) {
      if (budget.isExceeded) break;
      const value = getKey(object, name);
      if (value !== undefined) result.merge(check(value, at === "" ? name : `${at}.${name}`, budget));
    }
    for (const name of required) if (!Object.hasOwn(object, name)) result.add(missingProperty(`${at}.${name}`));
  };
}
