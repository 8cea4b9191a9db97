// SPDX-License-Identifier: Apache-2.0
// What can be wrong with a value by its schema, in the sentences of the validator that Kubernetes uses. `at` is the place of the value: `spec.size`.
import type { Json } from "../json/json.ts";
import {
  invalidValue,
  notSupportedValue,
  requiredValue,
  tooLong,
  tooMany,
  typeInvalid,
} from "../status/field-error.ts";
import { canonicalText, sortKeys } from "./canonical-text.ts";
import type { Mistake } from "./validation-result.ts";

/** The value is of another type, or not of that format. `found` names the type, or is the text without the format. */
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

/** A mistake that is told with the value and the sentence `<at> in body <what>`. */
export function invalidAt(at: string, value: Json, what: string): Mistake {
  const sentence = `${at} in body ${what}`;
  return { sentence, place: at, say: (field) => invalidValue(field, value, sentence) };
}

/** A key that a closed object does not have. */
export function forbiddenProperty(at: string, key: string): Mistake {
  const sentence = `${at}.${key} in body is a forbidden property`;
  return { sentence, place: at, say: (field) => invalidValue(field, key, sentence) };
}

/** A duplicate item where items must differ. */
export function duplicateItems(at: string): Mistake {
  const sentence = `${at} in body shouldn't contain duplicates`;
  return { sentence, place: at, say: (field) => invalidValue(field, "", sentence) };
}

/** A factor that nothing can be a multiple of. */
export function uselessFactor(at: string, factor: number): Mistake {
  const sentence = `factor MultipleOf declared for ${at} must be positive: ${factor}`;
  return { sentence, place: at, say: (field) => invalidValue(field, factor, sentence) };
}

/** A sentence that the real server ties to no field: alternatives none of which fits, numbers out of range. */
export function unplaced(sentence: string): Mistake {
  return { sentence, place: undefined, say: (field) => invalidValue(field, "", sentence) };
}
