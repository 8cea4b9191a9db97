// SPDX-License-Identifier: Apache-2.0
import { unreachable } from "../../base/assert.ts";
import type { Row } from "../../model/rows/row.ts";
import { statusRank } from "../../model/status.ts";
import type { FieldRef } from "../language/field-ref.ts";
import type { RowContext } from "../scan/row-test.ts";
import type { SortScalar } from "./query-request.ts";

/** A value of a field in one row. Several texts may repeat. Undefined and no texts mean no value. */
export type RowValue = string | number | boolean | readonly string[] | undefined;

/** Reads one field off rows that are values. What it means is what `RowField` reads from tables. */
export type RowValueReader = (row: Row, place: RowContext) => RowValue;

/**
 * The reader of a field; undefined for fields whose value is not in the row alone: ages depend on the time, and which
 * columns hold images on the other rows of the table.
 */
export function createRowValueReader({ field, name }: FieldRef): RowValueReader | undefined {
  switch (field) {
    case "cluster":
    case "region":
    case "environment":
      return (_row, { fields }) => fields[field] || undefined;
    case "kind":
      return (_row, { resource }) => resource || undefined;
    case "status":
    case "namespace":
    case "name":
    case "reason":
    case "message":
    case "uid":
      return (row) => row[field] || undefined;
    case "created":
      return ({ createdAt }) => (createdAt === 0 ? undefined : createdAt);
    case "owner":
      return ({ owner }) => (owner === undefined ? undefined : `${owner.kind}/${owner.name}`);
    case "label.":
      return name === "" ? ({ labels }) => [...labels.keys()] : ({ labels }) => labels.get(name);
    case "annotation.":
      return name === "" ? ({ annotations }) => [...annotations.keys()] : ({ annotations }) => annotations.get(name);
    case "field.":
      return ({ columns }) => columns.get(name);
    case "age":
    case "image":
      return undefined;
    default:
      return unreachable(field, "field");
  }
}

/** As `createRowValueReader`, for orders: the worst status comes first, and a list is sorted by its first text. */
export function createSortReader(ref: FieldRef): ((row: Row, place: RowContext) => SortScalar) | undefined {
  if (ref.field === "status") return ({ status }) => statusRank(status);
  const read = createRowValueReader(ref);
  if (read === undefined) return undefined;
  return (row, place) => {
    const value = read(row, place);
    if (typeof value === "boolean") return Number(value);
    return typeof value === "object" ? value[0] : value;
  };
}
