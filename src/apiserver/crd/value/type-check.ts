// SPDX-License-Identifier: Apache-2.0
import { isList, type Json } from "../../json/json.ts";
import type { SchemaNode } from "../schema/schema-node.ts";
import { isInt64, isWholeFloat } from "./number-checks.ts";
import { wrongType } from "./schema-errors.ts";
import { isKnownFormat } from "./text-formats.ts";
import type { ValidationResult } from "./validation-result.ts";

/** The types of a schema: one, none, or two for int-or-string. */
export function typesOf(node: SchemaNode): readonly string[] {
  if (node.isIntOrString) return ["integer", "string"];
  return node.type === "" ? [] : [node.type];
}

/** The schema's format if it applies to its type, otherwise empty: kube-apiserver ignores the others. */
export function formatOf(node: SchemaNode): string {
  const types = typesOf(node);
  const type = types.length === 1 ? (types[0] ?? "") : "";
  return isKnownFormat(type, node.format) ? node.format : "";
}

/** Compiles the type check of a schema. A passed check increments the match count. */
export function compileTypeCheck(node: SchemaNode): (value: Json, at: string, result: ValidationResult) => void {
  const types = typesOf(node);
  const format = formatOf(node);
  const expected = types.join(",");
  const isNumeric = types.includes("number") || types.includes("integer");

  return (value, at, result) => {
    if (value === null) {
      if (types.length > 0 && !node.nullable) result.add(wrongType(at, expected, "null"));
      else result.matchCount += 1;
      return;
    }
    const found = describeType(value);
    const isText = typeof value === "string" || isList(value);
    const fits =
      types.includes(found.type) ||
      (found.type === "number" && isWholeFloat(Number(value)) && types.includes("integer")) ||
      (found.type === "integer" && types.includes("number"));
    if (format !== "" && !isText && !fits && found.format !== format) {
      result.add(wrongType(at, format, found.format));
    } else if (!fits && (isNumeric || format === "" || !isText)) {
      result.add(wrongType(at, expected, found.type));
    } else {
      result.matchCount += 1;
    }
  };
}

/** Go's name for the type of the value, and the format that it implies. */
function describeType(value: Exclude<Json, null>): { readonly type: string; readonly format: string } {
  if (typeof value === "boolean") return { type: "boolean", format: "" };
  if (typeof value === "string") return { type: "string", format: "" };
  if (typeof value === "object") return { type: isList(value) ? "array" : "object", format: "" };
  return isInt64(value) ? { type: "integer", format: "int64" } : { type: "number", format: "float64" };
}
