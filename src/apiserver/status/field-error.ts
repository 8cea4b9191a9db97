// SPDX-License-Identifier: Apache-2.0
// Errors in the fields of an object, with Kubernetes' messages: users search for them.
import type { Json } from "../json/json.ts";
import { quoteGo } from "../json/quote-go.ts";
import { stringifyJson } from "../json/stringify-json.ts";

/** Kubernetes' reasons in the causes of an Invalid response. */
export type FieldErrorReason =
  | "FieldValueInvalid"
  | "FieldValueRequired"
  | "FieldValueDuplicate"
  | "FieldValueNotSupported"
  | "FieldValueForbidden"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "FieldValueTypeInvalid"
  | "FieldValueNotFound"
  | "InternalError";

/** One error: its field (`spec.containers[0].name`), its reason, and the text after the field. */
export interface FieldError {
  readonly field: string;
  readonly reason: FieldErrorReason;
  readonly text: string;
}

export function invalidValue(field: string, value: Json, detail: string): FieldError {
  return { field, reason: "FieldValueInvalid", text: withDetail(`Invalid value: ${formatValue(value)}`, detail) };
}

/** As `invalidValue`, for a text that Go holds by pointer: it is shown as JSON, which escapes other characters. */
export function invalidPointedText(field: string, value: string, detail: string): FieldError {
  return { field, reason: "FieldValueInvalid", text: withDetail(`Invalid value: ${goJson(value)}`, detail) };
}

export function requiredValue(field: string, detail = ""): FieldError {
  return { field, reason: "FieldValueRequired", text: withDetail("Required value", detail) };
}

export function duplicateValue(field: string, value: Json): FieldError {
  return { field, reason: "FieldValueDuplicate", text: `Duplicate value: ${formatValue(value)}` };
}

export function notSupportedValue(field: string, value: Json, supported: readonly string[]): FieldError {
  const list = supported.map((one) => quoteGo(one)).join(", ");
  const detail = supported.length === 0 ? "" : `supported values: ${list}`;
  return {
    field,
    reason: "FieldValueNotSupported",
    text: withDetail(`Unsupported value: ${formatValue(value)}`, detail),
  };
}

export function forbiddenField(field: string, detail: string): FieldError {
  return { field, reason: "FieldValueForbidden", text: withDetail("Forbidden", detail) };
}

export function tooLong(field: string, maxBytes: number): FieldError {
  const unit = maxBytes === 1 ? "byte" : "bytes";
  return { field, reason: "FieldValueTooLong", text: `Too long: may not be more than ${maxBytes} ${unit}` };
}

export function tooMany(field: string, count: number, maxCount: number): FieldError {
  const unit = maxCount === 1 ? "item" : "items";
  return { field, reason: "FieldValueTooMany", text: `Too many: ${count}: must have at most ${maxCount} ${unit}` };
}

export function typeInvalid(field: string, value: Json, detail: string): FieldError {
  return { field, reason: "FieldValueTypeInvalid", text: withDetail(`Invalid value: ${formatValue(value)}`, detail) };
}

export function notFoundValue(field: string, value: Json): FieldError {
  return { field, reason: "FieldValueNotFound", text: `Not found: ${formatValue(value)}` };
}

/** The field and the text as one sentence. */
export function toSentence(error: FieldError): string {
  return `${error.field}: ${error.text}`;
}

/** Formats strings and numbers as Go's fmt does, other values as JSON. */
function formatValue(value: Json): string {
  if (typeof value === "string") return quoteGo(value);
  if (typeof value === "number") return formatNumber(value);
  if (typeof value !== "object" || value === null) return String(value);
  return goJson(value);
}

/** JSON as Go encodes it, with HTML characters escaped. */
function goJson(value: Json): string {
  const escape = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return stringifyJson(value).replace(/[<>&\u2028\u2029]/g, escape);
}

/** Formats a number as Go's %v does: with an exponent of at least two digits below 0.0001. */
function formatNumber(value: number): string {
  const isSmall = value !== 0 && Math.abs(value) < 1e-4;
  const text = isSmall ? value.toExponential() : String(value);
  return text.replace(/e([+-])([0-9])$/, "e$10$2");
}

function withDetail(text: string, detail: string): string {
  return detail === "" ? text : `${text}: ${detail}`;
}
