// SPDX-License-Identifier: Apache-2.0
// Validation errors of a value, with the messages of Kubernetes' validator. `at` is the location of the value:
// `spec.size`.

import type { Json } from "../../json/json.ts";
import { canonicalJson, sortKeys } from "../../json/stringify-json.ts";
import {
  invalidValue,
  notSupportedValue,
  requiredValue,
  tooLong,
  tooMany,
  typeInvalid,
} from "../../status/field-error.ts";
import type { SchemaError } from "./validation-result.ts";

/** A value of a wrong type or format. `found` is the name of the type, or the text without the format. */
export function wrongType(at: string, expected: string, found: string): SchemaError {
  const message = `${at} in body must be of type ${expected}: ${JSON.stringify(found)}`;
  return { message, at, toFieldError: (field) => typeInvalid(field, found, message) };
}

export function missingProperty(at: string): SchemaError {
  return { message: `${at} in body is required`, at, toFieldError: (field) => requiredValue(field) };
}

export function notInEnum(at: string, value: Json, allowed: readonly Json[]): SchemaError {
  const names = allowed.map((one) => (typeof one === "string" ? one : canonicalJson(one)));
  const message = `${at} in body should be one of [${names.join(" ")}]`;
  return { message, at, toFieldError: (field) => notSupportedValue(field, sortKeys(value), names) };
}

export function textTooLong(at: string, maxLength: number): SchemaError {
  const message = `${at} in body should be at most ${maxLength} chars long`;
  return { message, at, toFieldError: (field) => tooLong(field, maxLength) };
}

export function tooManyItems(at: string, count: number, maxCount: number): SchemaError {
  const message = `${at} in body should have at most ${maxCount} items`;
  return { message, at, toFieldError: (field) => tooMany(field, count, maxCount) };
}

export function tooManyProperties(at: string, count: number, maxCount: number): SchemaError {
  const message = `${at} in body should have at most ${maxCount} properties`;
  return { message, at, toFieldError: (field) => tooMany(field, count, maxCount) };
}

/** An error with the value and the message `<at> in body <what>`. */
export function invalidAt(at: string, value: Json, what: string): SchemaError {
  const message = `${at} in body ${what}`;
  return { message, at, toFieldError: (field) => invalidValue(field, value, message) };
}

/** A key that a closed object does not allow. */
export function forbiddenProperty(at: string, key: string): SchemaError {
  const message = `${at}.${key} in body is a forbidden property`;
  return { message, at, toFieldError: (field) => invalidValue(field, key, message) };
}

/** A duplicate item in a list with unique items. */
export function duplicateItems(at: string): SchemaError {
  const message = `${at} in body shouldn't contain duplicates`;
  return { message, at, toFieldError: (field) => invalidValue(field, "", message) };
}

/** A multipleOf that is not positive. */
export function multipleOfNotPositive(at: string, factor: number): SchemaError {
  const message = `factor MultipleOf declared for ${at} must be positive: ${factor}`;
  return { message, at, toFieldError: (field) => invalidValue(field, factor, message) };
}

/** An error without a field, as in kube-apiserver: failed alternatives and numbers out of range. */
export function errorWithoutField(message: string): SchemaError {
  return { message, at: undefined, toFieldError: (field) => invalidValue(field, "", message) };
}
