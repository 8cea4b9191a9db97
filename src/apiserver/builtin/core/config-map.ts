// SPDX-License-Identifier: Apache-2.0
import { getKey, type JsonObject } from "../../json/json.ts";
import { objectAt } from "../../json/json-fields.ts";
import { sortedKeys } from "../../metadata/label-rules.ts";
import type { Strategy } from "../../resources/strategy.ts";
import { type FieldError, invalidValue, tooLong } from "../../status/field-error.ts";
import { configKeyErrors, invalidEach } from "../pod-spec/text-rules.ts";
import { base64Bytes, maxContentBytes, textBytes, validateImmutableContent } from "./config-content.ts";

/** ConfigMaps. */
export const configMapStrategy: Strategy = {
  validate(object) {
    const texts = objectAt(object, "data") ?? {};
    const bytes = objectAt(object, "binaryData") ?? {};
    const byteCount = textBytes(texts) + base64Bytes(bytes);
    return [
      ...sortedKeys(texts).flatMap((key) => [
        ...invalidEach(`data[${key}]`, key, configKeyErrors(key)),
        ...validateOnlyOnce(key, bytes),
      ]),
      ...sortedKeys(bytes).flatMap((key) => invalidEach(`binaryData[${key}]`, key, configKeyErrors(key))),
      ...(byteCount > maxContentBytes ? [tooLong("[]", maxContentBytes)] : []),
    ];
  },
  validateUpdate: (object, old) => validateImmutableContent(object, old, ["data", "binaryData"]),
  checksChangeFirst: true,
};

function validateOnlyOnce(key: string, bytes: JsonObject): readonly FieldError[] {
  if (getKey(bytes, key) === undefined) return [];
  return [invalidValue(`data[${key}]`, key, "duplicate of key present in binaryData")];
}
