// SPDX-License-Identifier: Apache-2.0
import { type Json, type JsonObject } from "../json/json.ts";
import { numberAt, textAt } from "../json/json-fields.ts";
import type { Column, Printer } from "../resources/printer.ts";
import { ageOf } from "./age.ts";
import { toGoText } from "./go-text.ts";
import { evaluateJsonPath, type JsonPath, parseJsonPath } from "./json-path.ts";

/** The columns of a custom resource whose definition has none. */
const defaultColumns: readonly JsonObject[] = [{ name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" }];

/**
 * The printer of a custom resource from the `additionalPrinterColumns` of its version: the name first, then those
 * columns, or the age without any. As in kube-apiserver, a column with an invalid path ends the list: it and all after
 * it are omitted.
 */
export function customPrinter(columns: readonly JsonObject[]): Printer {
  const shown: Column[] = [{ name: "Name", type: "string", format: "name", description: "", priority: 0 }];
  const paths: JsonPath[] = [];
  for (const definition of columns.length === 0 ? defaultColumns : columns) {
    const path = parseJsonPath(textAt(definition, "jsonPath") ?? "");
    if (typeof path === "string") break;
    paths.push(path);
    shown.push(toColumn(definition, columns.length === 0));
  }
  return {
    columns: shown,
    row: (object, nowMs) => ({
      cells: [
        textAt(object, "metadata", "name") ?? "",
        ...paths.map((path, index) => toCell(shown[index + 1]?.type ?? "", evaluateJsonPath(path, object)[0], nowMs)),
      ],
    }),
  };
}

function toColumn(definition: JsonObject, isDefault: boolean): Column {
  const description = textAt(definition, "description") ?? "";
  const path = textAt(definition, "jsonPath") ?? "";
  const fallback = isDefault ? "" : `Custom resource definition column (in JSONPath format): ${path}`;
  return {
    name: textAt(definition, "name") ?? "",
    type: textAt(definition, "type") ?? "",
    format: textAt(definition, "format") ?? "",
    description: description === "" ? fallback : description,
    priority: numberAt(definition, "priority") ?? 0,
  };
}

/** A value that does not have the column's type is null. A text column shows every value as text. */
function toCell(type: string, value: Json | undefined, nowMs: number): Json {
  if (value === undefined) return null;
  if (type === "string") return toGoText(value);
  if (type === "boolean") return typeof value === "boolean" ? value : null;
  if (type === "date") return typeof value === "string" ? ageOf(value, nowMs) : null;
  if (typeof value !== "number" && typeof value !== "bigint") return null;
  if (type === "integer") return typeof value === "number" ? Math.trunc(value) : value;
  return type === "number" ? value : null;
}
