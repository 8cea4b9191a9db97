// SPDX-License-Identifier: Apache-2.0
// Rules for a version's other fields: deprecation warning, subresources, columns.

import { utf8ByteCount } from "../../../model/text.ts";
import { getKey, type JsonObject } from "../../json/json.ts";
import { objectAt, objectsAt, textAt } from "../../json/json-fields.ts";
import { type FieldError, invalidPointedText, invalidValue, requiredValue } from "../../status/field-error.ts";
import { hasValue } from "./crd-accessors.ts";

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

/** Kubernetes' maximum length of a deprecation warning. */
const maxWarningBytes = 256;

/** Errors in the deprecation warning. */
export function validateDeprecation(version: JsonObject, field: string): readonly FieldError[] {
  const warning = getKey(version, "deprecationWarning");
  if (typeof warning !== "string") return [];
  const errors: string[] = [];
  if (getKey(version, "deprecated") !== true) errors.push("can only be set for deprecated versions");
  else {
    if (utf8ByteCount(warning) > maxWarningBytes) errors.push(`must be <= ${maxWarningBytes} characters long`);
    if (warning === "") errors.push("must not be an empty string");
    const hidden = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(warning);
    if (hidden !== null) {
      const at = utf8ByteCount(warning.slice(0, hidden.index));
      errors.push(`must only contain printable UTF-8 characters; non-printable character found at index ${at}`);
    }
  }
  return errors.map((error) => invalidPointedText(`${field}.deprecationWarning`, warning, error));
}

/** Errors in the paths of the scale subresource. `field` is that of the subresources. */
export function validateSubresources(version: JsonObject, field: string): readonly FieldError[] {
  const scale = objectAt(version, "subresources", "scale");
  if (scale === undefined) return [];
  return [
    ...validateScalePath(scale, "specReplicasPath", [".spec."], field),
    ...validateScalePath(scale, "statusReplicasPath", [".status."], field),
    ...((textAt(scale, "labelSelectorPath") ?? "") === ""
      ? []
      : validateScalePath(scale, "labelSelectorPath", [".spec.", ".status."], field)),
  ];
}

/** Errors in additional printer columns. `field` is that of the list. */
export function validateColumns(version: JsonObject, field: string): readonly FieldError[] {
  return objectsAt(version, "additionalPrinterColumns").flatMap((column, index) =>
    validateColumn(column, `${field}[${index}]`),
  );
}

/** Whether the version has a status subresource. */
export function hasStatusSubresource(version: JsonObject): boolean {
  return hasValue(version, "subresources", "status");
}

function validateScalePath(
  scale: JsonObject,
  key: string,
  roots: readonly string[],
  field: string,
): readonly FieldError[] {
  const path = textAt(scale, key) ?? "";
  const place = `${field}.scale.${key}`;
  if (path === "") return [requiredValue(place)];
  if (!path.startsWith(".")) return [invalidValue(place, path, "must be a simple json path starting with .")];
  if (roots.some((root) => path.startsWith(root))) return [];
  const where = roots.length === 1 ? (roots[0]?.slice(0, -1) ?? "") : "either .spec or .status";
  return [invalidValue(place, path, `should be a json path under ${where}`)];
}

function validateColumn(column: JsonObject, field: string): readonly FieldError[] {
  const type = textAt(column, "type") ?? "";
  const format = textAt(column, "format") ?? "";
  const path = textAt(column, "jsonPath") ?? "";
  const errors: FieldError[] = [];
  if ((textAt(column, "name") ?? "") === "") errors.push(requiredValue(`${field}.name`));
  const oneOfTypes = `must be one of ${columnTypes.join(",")}`;
  if (type === "") errors.push(requiredValue(`${field}.type`, oneOfTypes));
  else if (!columnTypes.includes(type)) errors.push(invalidValue(`${field}.type`, type, oneOfTypes));
  if (format !== "" && !columnFormats.includes(format))
    errors.push(invalidValue(`${field}.format`, format, `must be one of ${columnFormats.join(",")}`));
  if (path === "") errors.push(requiredValue(`${field}.JSONPath`));
  else if (!path.startsWith("."))
    errors.push(invalidValue(`${field}.JSONPath`, path, "must be a simple json path starting with ."));
  return errors;
}
