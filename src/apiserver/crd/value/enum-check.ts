// SPDX-License-Identifier: Apache-2.0
import { isEqualJson, type Json } from "../../json/json.ts";
import { isInt64 } from "./number-checks.ts";
import { notInEnum } from "./schema-errors.ts";
import type { ValidationResult } from "./validation-result.ts";

/** Checks that the value is one of `allowed`; an empty list allows any value. Null never matches, even if listed. */
export function compileEnumCheck(
  allowed: readonly Json[],
): (value: Json, at: string, result: ValidationResult) => void {
  const texts = new Set(allowed.filter((one) => typeof one === "string"));
  const others = allowed.filter((one) => one !== null && typeof one !== "string");
  return (value, at, result) => {
    if (allowed.length === 0) return;
    const isAllowed =
      typeof value === "string"
        ? texts.has(value)
        : value !== null && others.some((one) => isEqualJson(toComparable(value, one), one));
    if (!isAllowed) result.add(notInEnum(at, value, allowed));
  };
}

/** Go converts a float to the type of the allowed number before comparing: the fraction is lost. */
function toComparable(value: Json, allowed: Json): Json {
  const isWholeAllowed = (typeof allowed === "number" || typeof allowed === "bigint") && isInt64(allowed);
  return isWholeAllowed && typeof value === "number" ? Math.trunc(value) : value;
}
