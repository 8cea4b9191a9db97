// SPDX-License-Identifier: Apache-2.0
// The values of fields, read off rows the plain way.
import { compareUtf8 } from "../../../model/text.ts";
import type { FieldRef } from "../../language/field-ref.ts";
import type { ClusterFields } from "../../scan/row-filter.ts";
import type { FoundRow } from "../query-request.ts";

/** A row and what else its fields need. */
export interface PlainRow extends FoundRow {
  readonly fields: ClusterFields;
}

function textValue(text: string | undefined): readonly string[] {
  return text === undefined || text === "" ? [] : [text];
}

function imagesOf({ row }: PlainRow): readonly string[] {
  const images = row.columns.get("images");
  if (typeof images === "object") return [...new Set(images)];
  const found = new Set<string>();
  for (const column of ["initContainers", "containers"]) {
    const containers = row.columns.get(column);
    for (const text of typeof containers === "object" ? containers : []) {
      const { image } = JSON.parse(text) as { image?: string };
      if (image !== undefined && image !== "") found.add(image);
    }
  }
  return [...found].sort(compareUtf8);
}

/** The distinct values of a field in a row: numbers as numbers, booleans and texts as texts. */
export function plainValues({ field, name }: FieldRef, found: PlainRow, nowMs: number): readonly (string | number)[] {
  const { row, fields } = found;
  switch (field) {
    case "cluster":
    case "region":
    case "environment":
      return textValue(fields[field]);
    case "kind":
      return [found.resource];
    case "namespace":
    case "name":
    case "reason":
    case "message":
    case "uid":
    case "status":
      return textValue(row[field]);
    case "created":
      return row.createdAt === 0 ? [] : [row.createdAt];
    case "age":
      return row.createdAt === 0 ? [] : [nowMs - row.createdAt];
    case "owner":
      return row.owner === undefined ? [] : [`${row.owner.kind}/${row.owner.name}`];
    case "image":
      return imagesOf(found);
    case "label.":
    case "annotation.": {
      const map = field === "label." ? row.labels : row.annotations;
      if (name === "") return [...map.keys()];
      const value = map.get(name);
      return value === undefined ? [] : [value];
    }
    case "field.": {
      const value = row.columns.get(name);
      if (value === undefined) return [];
      if (typeof value === "boolean") return [String(value)];
      return typeof value === "object" ? [...new Set(value)] : [value];
    }
  }
}
