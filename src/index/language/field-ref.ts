// SPDX-License-Identifier: Apache-2.0
// Fields as values: what rows are sorted, counted and grouped by.
import { findNearest } from "../../base/nearest.ts";
import { quote } from "../../model/text.ts";
import type { QueryCatalog } from "./query-catalog.ts";
import { refuseQuery } from "./query-error.ts";
import { fieldNames, type QueryFieldName, resolveField } from "./query-fields.ts";

/** The fields that have a value in a row. `at` has none. */
export type RowFieldName = Exclude<QueryFieldName, "at">;

/** A field of rows. `name` is the key of a label or annotation, or a column's name; else "". */
export interface FieldRef {
  readonly field: RowFieldName;
  readonly name: string;
}

/** One field of an order. Rows without a value come last in both directions (QL9). */
export interface SortField {
  readonly ref: FieldRef;
  readonly isDescending: boolean;
}

/** The part of a catalog that fields need. */
export type ColumnCatalog = Pick<QueryCatalog, "columnTypes" | "columnNames">;

/** Most fields of an order (QL9). */
export const maxSortFields = 4;

/** Most facets of a query (QL11). A page shows four; each more is a pass over the selected rows. */
export const maxFacets = 8;

/** Most fields of a group (QL12). */
export const maxGroupFields = 3;

/** Longest list of fields in characters: four times the longest label key, with room for prefixes. */
const maxListLength = 2_048;

const rowFieldNames = fieldNames.filter((name) => name !== "at");

/** The canonical text of a field: `namespace`, `label.app`. */
export function fieldRefText({ field, name }: FieldRef): string {
  return `${field}${name}`;
}

export function isSameField(a: FieldRef, b: FieldRef): boolean {
  return a.field === b.field && a.name === b.name;
}

/** Where a field is written: its place counts from 0, and messages name the text. */
export interface FieldPlace {
  readonly at?: number;
  readonly what?: string;
}

/** Parses one field. An unknown field, or column of no visible kind, is INVALID_ARGUMENT with the nearest known one. */
export function parseFieldRef(text: string, catalog: ColumnCatalog, { at = 0, what }: FieldPlace = {}): FieldRef {
  const resolved = resolveField(text);
  if (resolved === undefined || resolved.field === "at") return refuseField(text, at, what);
  const ref: FieldRef = { field: resolved.field, name: resolved.name };
  if (ref.field === "field.") checkColumn(ref.name, catalog, { at, ...(what === undefined ? {} : { what }) });
  return ref;
}

/** Refuses an unknown field, with the nearest one. */
export function refuseField(text: string, at: number, what?: string): never {
  if (/^(?:labels?|annotations?|fields?)\.?$/i.test(text))
    return refuseQuery(at, `${quote(text)} needs a name, such as label.app or field.restarts`, what);
  const nearest = findNearest(text, rowFieldNames);
  const hint = nearest === undefined ? "fields" : `did you mean ${nearest}? Fields`;
  return refuseQuery(at, `there is no field ${quote(text)}; ${hint} are ${fieldNames.join(", ")}`, what);
}

/** Refuses a column that no visible kind has, with the nearest one. */
export function checkColumn(column: string, catalog: ColumnCatalog, { at = 0, what }: FieldPlace = {}): void {
  if (catalog.columnTypes(column).size > 0) return;
  const nearest = findNearest(column, catalog.columnNames);
  const hint =
    nearest === undefined
      ? "a field is a column of a kind, such as field.restarts of Pods"
      : `did you mean field.${nearest}?`;
  refuseQuery(at, `no kind has a field ${quote(column)}; ${hint}`, what);
}

/** One written field of a list, without blanks around it. */
interface WrittenField {
  readonly text: string;
  readonly at: number;
}

function splitFields(text: string, most: number, what: string): readonly WrittenField[] {
  if (text.trim() === "") return [];
  if (text.length > maxListLength)
    refuseQuery(maxListLength, `the list is longer than ${maxListLength} characters`, what);
  const fields: WrittenField[] = [];
  let at = 0;
  for (const part of text.split(",")) {
    const lead = part.length - part.trimStart().length;
    fields.push({ text: part.trim(), at: at + lead });
    at += part.length + 1;
  }
  const excess = fields[most];
  if (excess !== undefined) refuseQuery(excess.at, `at most ${most} fields are allowed`, what);
  return fields;
}

/** Parses an order: `-age,name`. `-` before a field means descending. A blank text is the order of keys (QL9). */
export function parseSort(text: string, catalog: ColumnCatalog): readonly SortField[] {
  const what = "sort";
  const fields: SortField[] = [];
  for (const { text: written, at } of splitFields(text, maxSortFields, what)) {
    const isDescending = written.startsWith("-");
    const ref = parseFieldRef(isDescending ? written.slice(1) : written, catalog, {
      at: at + (isDescending ? 1 : 0),
      what,
    });
    if (fields.some((each) => isSameField(each.ref, ref))) refuseQuery(at, `${fieldRefText(ref)} is given twice`, what);
    fields.push({ ref, isDescending });
  }
  return fields;
}

/** The canonical text of an order; `parseSort` reads it to the same order. */
export function printSort(sort: readonly SortField[]): string {
  return sort.map(({ ref, isDescending }) => `${isDescending ? "-" : ""}${fieldRefText(ref)}`).join(",");
}

/** Fields whose values differ from row to row: counting rows by them would return the rows themselves. */
const uncountable: ReadonlySet<RowFieldName> = new Set(["age", "created", "uid"]);

/** Parses the fields to count by, of facets (QL11) or groups (QL12). */
export function parseCountedFields(
  text: string,
  what: "facets" | "groups",
  catalog: ColumnCatalog,
): readonly FieldRef[] {
  const refs: FieldRef[] = [];
  for (const { text: written, at } of splitFields(text, what === "facets" ? maxFacets : maxGroupFields, what)) {
    const ref = parseFieldRef(written, catalog, { at, what });
    if (uncountable.has(ref.field))
      refuseQuery(at, `${ref.field} differs from row to row; count by another field`, what);
    if (refs.some((each) => isSameField(each, ref))) refuseQuery(at, `${fieldRefText(ref)} is given twice`, what);
    refs.push(ref);
  }
  return refs;
}
