// SPDX-License-Identifier: Apache-2.0
// Rules for the fields that the scale subresource reads. They apply in addition to the schema.

import { getKey, isList, isObject, type Json, type JsonObject } from "../../json/json.ts";
import { textAt } from "../../json/json-fields.ts";
import type { ScalePaths } from "../../resources/resource.ts";
import { type FieldError, invalidValue } from "../../status/field-error.ts";
import { isInt64 } from "../value/number-checks.ts";

const maxReplicas = 2 ** 31 - 1;

/** The paths of a version's scale subresource; undefined without one. */
export function scalePathsOf(scale: JsonObject | undefined): ScalePaths | undefined {
  if (scale === undefined) return undefined;
  const selector = textAt(scale, "labelSelectorPath") ?? "";
  return {
    specReplicas: keysOf(textAt(scale, "specReplicasPath") ?? ""),
    statusReplicas: keysOf(textAt(scale, "statusReplicasPath") ?? ""),
    labelSelector: selector === "" ? undefined : keysOf(selector),
  };
}

export function validateScaleSpec(object: JsonObject, { specReplicas }: ScalePaths): readonly FieldError[] {
  return validateReplicas(object, specReplicas);
}

export function validateScaleStatus(object: JsonObject, paths: ScalePaths): readonly FieldError[] {
  return [
    ...validateReplicas(object, paths.statusReplicas),
    ...(paths.labelSelector === undefined ? [] : validateSelector(object, paths.labelSelector)),
  ];
}

function validateReplicas(object: JsonObject, keys: readonly string[]): readonly FieldError[] {
  const field = `.${keys.join(".")}`;
  const found = findValue(object, keys);
  if ("error" in found) return [invalidValue(field, 0, found.error)];
  const { value } = found;
  if (value === undefined) return [];
  if ((typeof value !== "number" && typeof value !== "bigint") || !isInt64(value))
    return [invalidValue(field, 0, accessorError(keys, value, "int64"))];
  if (value < 0) return [invalidValue(field, value, "should be a non-negative integer")];
  if (value > maxReplicas) return [invalidValue(field, value, `should be less than or equal to ${maxReplicas}`)];
  return [];
}

function validateSelector(object: JsonObject, keys: readonly string[]): readonly FieldError[] {
  const field = `.${keys.join(".")}`;
  const found = findValue(object, keys);
  if ("error" in found) return [invalidValue(field, "", found.error)];
  const { value } = found;
  if (value === undefined || typeof value === "string") return [];
  return [invalidValue(field, "", accessorError(keys, value, "string"))];
}

/**
 * The value at the path, or the error for the first value on the path that is not an object. A null on the path means
 * no value.
 */
function findValue(
  object: JsonObject,
  keys: readonly string[],
): { readonly value: Json | undefined } | { readonly error: string } {
  let value: Json = object;
  for (const [index, key] of keys.entries()) {
    if (value === null) return { value: undefined };
    if (!isObject(value)) return { error: accessorError(keys.slice(0, index + 1), value, "map[string]interface{}") };
    const next: Json | undefined = getKey(value, key);
    if (next === undefined) return { value: undefined };
    value = next;
  }
  return { value };
}

function accessorError(keys: readonly string[], value: Json, expected: string): string {
  return `.${keys.join(".")} accessor error: ${toGoValue(value)} is of the type ${goTypeOf(value)}, expected ${expected}`;
}

function goTypeOf(value: Json): string {
  if (value === null) return "<nil>";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return "string";
  if (typeof value === "object") return isList(value) ? "[]interface {}" : "map[string]interface {}";
  return isInt64(value) ? "int64" : "float64";
}

/** Formats a value as Go's default format does: `map[a:1]`, `[1 2]`. */
function toGoValue(value: Json): string {
  if (value === null) return "<nil>";
  if (isList(value)) return `[${value.map(toGoValue).join(" ")}]`;
  if (!isObject(value)) return String(value);
  const pairs = Object.keys(value)
    .toSorted()
    .map((key) => `${key}:${toGoValue(value[key] ?? null)}`);
  return `map[${pairs.join(" ")}]`;
}

function keysOf(path: string): readonly string[] {
  return path.replace(/^\./, "").split(".");
}
