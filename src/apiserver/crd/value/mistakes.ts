// SPDX-License-Identifier: Apache-2.0
// Validation errors of a value, with the messages of Kubernetes' validator. `at` is the location of the value:
// `spec.size`.
import type { Json } from "../../json/json.ts";
import {
  invalidValue,
  notSupportedValue,
  requiredValue,
  tooLong,
  tooMany,
  typeInvalid,
} from "../../status/field-error.ts";
import { canonicalText, sortKeys } from "./canonical-text.ts";
import type { Mistake } from "./validation-result.ts";

/** A value of a wrong type or format. `found` is the name of the type, or the text without the format. */
export function wrongType(at: string, expected: string, found: string): Mistake {
  const sentence = `${at} in body must be of type ${expected}: ${JSON.stringify(found)}`;
  return { sentence, place: at, say: (field) => typeInvalid(field, found, sentence) };
}

export function missing(at: string): Mistake {
  return { sentence: `${at} in body is required`, place: at, say: (field) => requiredValue(field) };
}

export function notAmong(at: string, value: Json, allowed: readonly Json[]): Mistake {
  const names = allowed.map((one) => (typeof one === "string" ? one : canonicalText(one)));
  const sentence = `${at} in body should be one of [${names.join(" ")}]`;
  return { sentence, place: at, say: (field) => notSupportedValue(field, sortKeys(value), names) };
}

export function textTooLong(at: string, maxLength: number): Mistake {
  const sentence = `${at} in body should be at most ${maxLength} chars long`;
  return { sentence, place: at, say: (field) => tooLong(field, maxLength) };
}

export function tooManyItems(at: string, count: number, maxCount: number): Mistake {
  const sentence = `${at} in body should have at most ${maxCount} items`;
  return { sentence, place: at, say: (field) => tooMany(field, count, maxCount) };
}

export function tooManyProperties(at: string, count: number, maxCount: number): Mistake {
  const sentence = `${at} in body should have at most ${maxCount} properties`;
  return { sentence, place: at, say: (field) => tooMany(field, count, maxCount) };
}

/** An error with the value and the message `<at> in body <what>`. */
export function invalidAt(at: string, value: Json, what: string): Mistake {
  const sentence = `${at} in body ${what}`;
  return { sentence, place: at, say: (field) => invalidValue(field, value, sentence) };
}

/** A key that a closed object does not allow. */
export function forbiddenProperty(at: string, key: string): Mistake {
  const sentence = `${at}.${key} in body is a forbidden property`;
  return { sentence, place: at, say: (field) => invalidValue(field, key, sentence) };
}

/** A duplicate item in a list with unique items. */
export function duplicateItems(at: string): Mistake {
  const sentence = `${at} in body shouldn't contain duplicates`;
  return { sentence, place: at, say: (field) => invalidValue(field, "", sentence) };
}

/** A multipleOf that is not positive. */
export function uselessFactor(at: string, factor: number): Mistake {
  const sentence = `factor MultipleOf declared for ${at} must be positive: ${factor}`;
  return { sentence, place: at, say: (field) => invalidValue(field, factor, sentence) };
}

/** An error without a field, as in kube-apiserver: failed alternatives and numbers out of range. */
export function unplaced(sentence: string): Mistake {
  return { sentence, place: undefined, say: (field) => invalidValue(field, "", sentence) };
}
