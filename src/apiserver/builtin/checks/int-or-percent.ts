// SPDX-License-Identifier: Apache-2.0
// Fields that hold a number or a percentage: 3, "25%".
import type { Json } from "../../json/json.ts";
import { createFormTest, formError, type TextForm } from "../../metadata/name-rules.ts";
import { type FieldError, invalidValue } from "../../status/field-error.ts";
import { nonNegativeValue } from "./field-checks.ts";

const percentForm: TextForm = {
  pattern: "[0-9]+%",
  words: "a valid percent string must be a numeric string followed by an ending '%'",
  examples: ["1%", "93%"],
};

const isPercent = createFormTest(percentForm);

/** Validates a non-negative number or a percentage. Absence is valid. */
export function validateIntOrPercent(value: Json | undefined, field: string): readonly FieldError[] {
  if (typeof value !== "string") return nonNegativeValue(value, field);
  return isPercent(value) ? [] : [invalidValue(field, value, formError(percentForm))];
}

/** Returns an error for a percentage above 100. Other values are valid. */
export function atMostHundredPercent(value: Json | undefined, field: string): readonly FieldError[] {
  if (typeof value !== "string" || !isPercent(value)) return [];
  return percentNumber(value) <= 100 ? [] : [invalidValue(field, value, "must not be greater than 100%")];
}

/** The number in a count, a percentage or integer text (25 for "25%"); 0 for other values. */
export function intOrPercentNumber(value: Json | undefined): number {
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "string") return 0;
  if (isPercent(value)) return percentNumber(value);
  return /^[+-]?\d+$/.test(value) ? Number(value) : 0;
}

function percentNumber(text: string): number {
  return Number(text.slice(0, -1));
}
