// SPDX-License-Identifier: Apache-2.0
// Rules for strings and numbers in a pod spec. Each returns the errors, with the messages of Kubernetes.

import { utf8ByteCount } from "../../../model/text.ts";
import { type Json, type JsonObject } from "../../json/json.ts";
import { textOf } from "../../json/json-fields.ts";
import { createFormTest, formError, lengthError, type TextForm } from "../../metadata/name-rules.ts";
import { type FieldError, invalidValue, notSupportedValue, requiredValue } from "../../status/field-error.ts";

/** The limit of RFC 6335. */
const maxPortNameBytes = 15;
/** The limit of a DNS subdomain. Keys of ConfigMaps and Secrets become file names. */
const maxConfigKeyBytes = 253;

const configKeyForm: TextForm = {
  pattern: "[-._a-zA-Z0-9]+",
  words: "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  examples: ["key.name", "KEY_NAME", "key-name"],
};

const httpHeaderForm: TextForm = {
  pattern: "[-A-Za-z0-9]+",
  words: "a valid HTTP header must consist of alphanumeric characters or '-'",
  examples: ["X-Header-Name"],
};

const isConfigKey = createFormTest(configKeyForm);
const isHttpHeader = createFormTest(httpHeaderForm);

/** One FieldError for each message about the value of a field. */
export function invalidEach(field: string, value: Json, sentences: readonly string[]): readonly FieldError[] {
  return sentences.map((sentence) => invalidValue(field, value, sentence));
}

export function rangeSentence(low: number, high: number): string {
  return `must be between ${low} and ${high}, inclusive`;
}

/** Validates a number within inclusive bounds. Absence is valid. */
export function validateRange(
  field: string,
  value: number | bigint | undefined,
  [low, high]: readonly [number, number],
): readonly FieldError[] {
  if (value === undefined || (value >= low && value <= high)) return [];
  return [invalidValue(field, value, rangeSentence(low, high))];
}

export function validatePortNumber(field: string, port: number | bigint): readonly FieldError[] {
  return validateRange(field, port, [1, 65_535]);
}

/** Validates a user or group id of a Linux container. Absence is valid. */
export function validateLinuxId(field: string, id: number | bigint | undefined): readonly FieldError[] {
  return validateRange(field, id, [0, 2_147_483_647]);
}

export function portNameErrors(name: string): readonly string[] {
  const errors: string[] = [];
  if (utf8ByteCount(name) > maxPortNameBytes) errors.push(lengthError(maxPortNameBytes, "characters"));
  if (!/^[-a-z0-9]+$/.test(name)) errors.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  if (!/[a-z]/.test(name)) errors.push("must contain at least one letter (a-z)");
  if (name.includes("--")) errors.push("must not contain consecutive hyphens");
  if (name.startsWith("-") || name.endsWith("-")) errors.push("must not begin or end with a hyphen");
  return errors;
}

/** Validates a port number or name. */
export function validatePortRef(field: string, port: Json | undefined): readonly FieldError[] {
  if (typeof port === "string") return invalidEach(field, port, portNameErrors(port));
  return validatePortNumber(field, typeof port === "number" || typeof port === "bigint" ? port : 0);
}

export function envNameErrors(name: string): readonly string[] {
  if (name === "") return ["environment variable name must be non-empty"];
  if (/^[ -<>-~]+$/.test(name)) return [];
  return ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

/** Error messages for an invalid key of a ConfigMap or Secret. */
export function configKeyErrors(key: string): readonly string[] {
  const errors: string[] = [];
  if (utf8ByteCount(key) > maxConfigKeyBytes) errors.push(lengthError(maxConfigKeyBytes, "characters"));
  if (!isConfigKey(key)) errors.push(formError(configKeyForm));
  if (key === "." || key === "..") errors.push(`must not be '${key}'`);
  else if (key.startsWith("..")) errors.push("must not start with '..'");
  return errors;
}

export function httpHeaderErrors(name: string): readonly string[] {
  return isHttpHeader(name) ? [] : [formError(httpHeaderForm)];
}

/** Validates a path inside a volume: relative, without `..` components. */
export function validateDescendingPath(field: string, path: string): readonly FieldError[] {
  const isAbsolute = path.startsWith("/");
  return [
    ...(isAbsolute ? [invalidValue(field, path, "must be a relative path")] : []),
    ...validateNoBacksteps(field, path),
  ];
}

export function validateNoBacksteps(field: string, path: string): readonly FieldError[] {
  return path.split("/").includes("..") ? [invalidValue(field, path, "must not contain '..'")] : [];
}

/** Validates a descending path whose first component does not begin with `..`: volumes reserve such names. */
export function validateFilePath(field: string, path: string): readonly FieldError[] {
  const isReserved = path.startsWith("..") && !path.startsWith("../");
  return [
    ...validateDescendingPath(field, path),
    ...(isReserved ? [invalidValue(field, path, "must not start with '..'")] : []),
  ];
}

export function validateFileMode(field: string, mode: number | bigint | undefined): readonly FieldError[] {
  if (mode === undefined || (mode >= 0 && mode <= 0o777)) return [];
  return [invalidValue(field, mode, "must be a number between 0 and 0777 (octal), both inclusive")];
}

export function validateNotNegative(field: string, value: number | bigint | undefined): readonly FieldError[] {
  if (value === undefined || value >= 0) return [];
  return [invalidValue(field, value, "must be greater than or equal to 0")];
}

/** Requires a non-empty string. */
export function requireText(object: JsonObject, key: string, field: string): readonly FieldError[] {
  return textOf(object, key) === "" ? [requiredValue(`${field}.${key}`)] : [];
}

/** Requires one of the choices. An empty string counts as missing, unless it is a choice. */
export function validateChoice(field: string, value: string, choices: readonly string[]): readonly FieldError[] {
  if (choices.includes(value)) return [];
  return [value === "" ? requiredValue(field) : notSupportedValue(field, value, choices)];
}

/**
 * As `validateChoice`, for a field that is a pointer in Go: absence is valid, and an empty string is an unsupported
 * value.
 */
export function validateOptionalChoice(
  field: string,
  value: Json | undefined,
  choices: readonly string[],
): readonly FieldError[] {
  if (typeof value !== "string" || choices.includes(value)) return [];
  return [notSupportedValue(field, value, choices)];
}
