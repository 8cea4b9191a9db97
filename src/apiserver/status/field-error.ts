// SPDX-License-Identifier: Apache-2.0
// Mistakes in the fields of an object, in Kubernetes' own words: people search for these sentences.
import type { Json } from "../json/json.ts";
import { quoteGo } from "../json/quote-go.ts";
import { stringifyJson } from "../json/stringify-json.ts";

/** Kubernetes' names for the causes of an Invalid answer. */
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

/** One mistake: where it is (`spec.containers[0].name`), its class, and the text that follows the place. */
export interface FieldError {
  readonly field: string;
  readonly reason: FieldErrorReason;
  readonly text: string;
}

export function invalidValue(field: string, value: Json, detail: string): FieldError {
  return { field, reason: "FieldValueInvalid", text: withDetail(`Invalid value: ${formatValue(value)}`, detail) };
}

/** The same for a text that Go holds by pointer: it is shown as JSON, which escapes other characters. */
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

/** The field's place and what is wrong there, as one sentence. */
export function toSentence(error: FieldError): string {
  return `${error.field}: ${error.text}`;
}

/** Text in quotes and plain numbers as Go's fmt prints them, anything else as its JSON. */
function formatValue(value: Json): string {
  if (typeof value === "string") return quoteGo(value);
  if (typeof value === "number") return formatNumber(value);
  if (typeof value !== "object" || value === null) return String(value);
  return goJson(value);
}

/** JSON as Go writes it, safe to stand in a web page. */
function goJson(value: Json): string {
  const escape = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return stringifyJson(value).replace(/[<>&\u2028\u2029]/g, escape);
}

/** A number as Go's %v prints it: with an exponent below 0.0001, of two digits at least. */
function formatNumber(value: number): string {
  const isSmall = value !== 0 && Math.abs(value) < 1e-4;
  const text = isSmall ? value.toExponential() : String(value);
  return text.replace(/e([+-])([0-9])$/, "e$10$2");
}

function withDetail(text: string, detail: string): string {
  return detail === "" ? text : `${text}: ${detail}`;
}
