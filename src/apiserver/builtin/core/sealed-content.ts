// SPDX-License-Identifier: Apache-2.0
import { getKey, isEqualJson, type JsonObject } from "../../json/json.ts";
import { type FieldError, forbiddenField } from "../../status/field-error.ts";

const detail = "field is immutable when `immutable` is set";

/** Validates an update of an immutable ConfigMap or Secret: neither `immutable` nor the contents may change. */
export function validateSealed(
  object: JsonObject,
  old: JsonObject,
  contents: readonly string[],
): readonly FieldError[] {
  if (getKey(old, "immutable") !== true) return [];
  const opened = getKey(object, "immutable") === true ? [] : ["immutable"];
  const changed = contents.filter((key) => !isEqualJson(getKey(object, key) ?? {}, getKey(old, key) ?? {}));
  return [...opened, ...changed].map((key) => forbiddenField(key, detail));
}
