// SPDX-License-Identifier: Apache-2.0
// Fields that are a number of things or a share of them: 3, "25%".
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

/** A number that is not negative, or a percentage. Absence is no mistake. */
export function validateIntOrPercent(value: Json | undefined, field: string): readonly FieldError[] {
  if (typeof value !== "string") return nonNegativeValue(value, field);
  return isPercent(value) ? [] : [invalidValue(field, value, formError(percentForm))];
}

/** Not more than the whole, where it is a percentage. */
export function atMostHundredPercent(value: Json | undefined, field: string): readonly FieldError[] {
  if (typeof value !== "string" || !isPercent(value)) return [];
  return percentNumber(value) <= 100 ? [] : [invalidValue(field, value, "must not be greater than 100%")];
}

/** The number, be it a count or percents; 0 for what is neither. */
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
