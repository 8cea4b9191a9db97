// SPDX-License-Identifier: Apache-2.0
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { FoundObject } from "../../gen/flotilla/query/v1/query_pb.ts";
import { imagesOf } from "../../index/compare/compared-fields.ts";
import { refuseField } from "../../index/language/field-ref.ts";
import { type ResolvedField, resolveField } from "../../index/language/query-fields.ts";
import { humanAge } from "../../kinds/table/human-duration.ts";
import type { ColumnValue } from "../../model/rows/row.ts";
import { rowOf, toTimeText } from "./found-object-json.ts";
import { type ObjectColumns, ownerText } from "./object-columns.ts";
import { refuseOption } from "./query-format.ts";
import { toRowContent } from "./row-content.ts";

/** Most columns of `--columns`, as of a saved query (SQ3). */
const maxColumnCount = 32;

/** Columns with the values of fields. */
export interface FieldColumns extends ObjectColumns {
  /** As they were written. */
  readonly fields: readonly string[];
}

/**
 * Columns with the values of chosen fields (CL31), the same for all kinds. Throws INVALID_ARGUMENT for an unknown field,
 * and for those of clusters, which rows do not have.
 */
export function columnsOfFields(written: readonly string[]): FieldColumns {
  if (written.length > maxColumnCount) refuseOption(`--columns takes at most ${maxColumnCount} fields`);
  const fields = written.map(toRowField);
  return {
    fields: written,
    titles: written.map((field) => field.toUpperCase()),
    cellsOf: (object, nowMs) => fields.map((field) => cellOf(object, field, nowMs)),
  };
}

/** A field that rows have. */
interface RowField extends ResolvedField {
  readonly field: Exclude<ResolvedField["field"], "at" | "region" | "environment">;
}

function toRowField(written: string): RowField {
  const { field, name } = resolveField(written) ?? refuseField(written, 0, "columns");
  if (field === "at" || field === "region" || field === "environment")
    return refuseOption(`--columns cannot show ${field}, because rows do not have it; --group-by counts by regions`);
  return { field, name };
}

function cellOf(object: FoundObject, { field, name }: RowField, nowMs: number): string {
  const row = rowOf(object);
  switch (field) {
    case "cluster":
      return object.cluster;
    case "age":
      return humanAge(row.createdAt === undefined ? 0 : timestampMs(row.createdAt), nowMs);
    case "created":
      return toTimeText(row.createdAt) ?? "";
    case "owner":
      return ownerText(row);
    case "image":
      return imagesOf(toRowContent(row)).join(",");
    case "label.":
      return row.labels[name] ?? "";
    case "annotation.":
      return row.annotations[name] ?? "";
    case "field.":
      return columnText(toRowContent(row).columns.get(name));
    default:
      return row[field];
  }
}

function columnText(value: ColumnValue | undefined): string {
  if (value === undefined) return "";
  return typeof value === "object" ? value.join(",") : String(value);
}
