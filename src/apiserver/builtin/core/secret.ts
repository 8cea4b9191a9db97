// SPDX-License-Identifier: Apache-2.0
import { type DraftObject, deleteKey, ensureObject, getKey, type JsonObject, setKey } from "../../json/json.ts";
import { objectAt, textOf } from "../../json/json-fields.ts";
import { sortedKeys } from "../../metadata/label-rules.ts";
import type { Strategy } from "../../resources/strategy.ts";
import { type FieldError, invalidValue, requiredValue, tooLong } from "../../status/field-error.ts";
import { immutable } from "../checks/field-checks.ts";
import { setIfEmpty } from "../checks/object-fields.ts";
import { configKeyErrors, invalidEach } from "../pod-spec/text-rules.ts";
import {
  base64Bytes,
  decodeBase64,
  encodeBase64,
  maxContentBytes,
  validateImmutableContent,
} from "./config-content.ts";

/** Names the service account of a token Secret. */
const accountAnnotation = "kubernetes.io/service-account.name";

/** Secrets. Some types require certain keys. */
export const secretStrategy: Strategy = {
  setDefaults(object) {
    foldStringData(object);
    setIfEmpty(object, "type", "Opaque");
  },
  prepareForUpdate(object, old) {
    setIfEmpty(object, "type", textOf(old, "type"));
  },
  validate(object) {
    const data = objectAt(object, "data") ?? {};
    const isTooLong = base64Bytes(data) > maxContentBytes;
    return [
      ...sortedKeys(data).flatMap((key) => invalidEach(`data[${key}]`, key, configKeyErrors(key))),
      ...(isTooLong ? [tooLong("data", maxContentBytes)] : []),
      ...validateType(object, data),
    ];
  },
  checksChangeFirst: true,
  validateUpdate: (object, old) => [
    ...immutable(getKey(object, "type"), getKey(old, "type"), "type"),
    ...validateImmutableContent(object, old, ["data"]),
  ],
  selectableFieldNames: ["type"],
  selectableFields: (object) => ({ type: textOf(object, "type") }),
};

/** Moves `stringData`, which is write-only, into `data` as base64. It replaces values of the same key. */
function foldStringData(object: DraftObject): void {
  const texts = objectAt(object, "stringData");
  if (texts !== undefined && Object.keys(texts).length > 0) {
    const data = ensureObject(object, "data");
    for (const key of Object.keys(texts)) setKey(data, key, encodeBase64(textOf(texts, key)));
  }
  deleteKey(object, "stringData");
}

function validateType(object: JsonObject, data: JsonObject): readonly FieldError[] {
  const missing = (...keys: readonly string[]): readonly string[] =>
    keys.filter((key) => getKey(data, key) === undefined);
  const required = (keys: readonly string[]): readonly FieldError[] => keys.map((key) => requiredValue(`data[${key}]`));
  switch (textOf(object, "type")) {
    case "kubernetes.io/service-account-token": {
      const account = textOf(object, "metadata", "annotations", accountAnnotation);
      return account === "" ? [requiredValue(`metadata.annotations[${accountAnnotation}]`)] : [];
    }
    case "kubernetes.io/dockercfg":
      return validateJsonKey(data, ".dockercfg");
    case "kubernetes.io/dockerconfigjson":
      return validateJsonKey(data, ".dockerconfigjson");
    case "kubernetes.io/basic-auth": {
      const absent = missing("username", "password");
      return absent.length === 2 ? required(absent) : [];
    }
    case "kubernetes.io/ssh-auth":
      return textOf(data, "ssh-privatekey") === "" ? required(["ssh-privatekey"]) : [];
    case "kubernetes.io/tls":
      return required(missing("tls.crt", "tls.key"));
    default:
      return [];
  }
}

/** Requires the key, with a JSON object as its value. Like Go, it accepts null. */
function validateJsonKey(data: JsonObject, key: string): readonly FieldError[] {
  const base64 = getKey(data, key);
  if (typeof base64 !== "string") return [requiredValue(`data[${key}]`)];
  const complaint = jsonObjectError(decodeBase64(base64));
  return complaint === undefined ? [] : [invalidValue(`data[${key}]`, "<secret contents redacted>", complaint)];
}

/** Go's error message for text that is not a JSON object; exact for common errors only. */
function jsonObjectError(text: string): string | undefined {
  const trimmed = text.trimStart();
  if (trimmed === "") return "unexpected end of JSON input";
  try {
    const value: unknown = JSON.parse(text);
    if (value === null || (typeof value === "object" && !Array.isArray(value))) return undefined;
    const kind = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
    return `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`;
  } catch (reason) {
    if (!(reason instanceof SyntaxError)) throw reason;
    return literalError(trimmed) ?? "unexpected end of JSON input";
  }
}

/** The error for text that does not begin a JSON value, or that misspells true, false or null. */
function literalError(text: string): string | undefined {
  const first = text.slice(0, 1);
  if (!/[{["\dtfn-]/.test(first)) return `invalid character '${first}' looking for beginning of value`;
  const literal = ["true", "false", "null"].find((each) => each.startsWith(first)) ?? "";
  const wrong = Array.from(literal).findIndex((letter, index) => text[index] !== letter);
  const found = text[wrong];
  if (wrong === -1 || found === undefined) return undefined;
  return `invalid character '${found}' in literal ${literal} (expecting '${literal[wrong] ?? ""}')`;
}
