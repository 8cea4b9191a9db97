// SPDX-License-Identifier: Apache-2.0
// Bounds of what users may keep, and the checks of single values. Each check throws INVALID_ARGUMENT with one sentence.
import { FlotillaError } from "../../base/error.ts";
import { resolveField } from "../../index/language/query-fields.ts";
import { isDnsLabel } from "../../model/dns-name.ts";
import { quote, utf8ByteCount } from "../../model/text.ts";

/** How many queries are kept (SQ3, SQ8). */
export interface QueryCounts {
  /** Over all owners. */
  readonly total: number;
  readonly perOwner: number;
}

/** A tenth of the whole for one owner: no user can use up the places of all others. */
export const savedQueryCounts: QueryCounts = { total: 1_000, perOwner: 100 };

/** Every standing query costs evaluations, so an owner has few. */
export const standingQueryCounts: QueryCounts = { total: 200, perOwner: 8 };

const maxDescriptionBytes = 1_024;
const maxColumnCount = 32;

/** The longest label key has 317 characters. */
const maxFieldLength = 512;

/** Refuses with INVALID_ARGUMENT. */
export function refuseInput(sentence: string): never {
  throw new FlotillaError("INVALID_ARGUMENT", sentence);
}

/** A name is a DNS label. */
export function checkQueryName(name: string): string {
  if (isDnsLabel(name)) return name;
  return refuseInput(
    `${quote(name)} is not a name of a query; write at most 63 lower-case letters, digits and inner dashes, such as prod-unhealthy`,
  );
}

export function checkQueryDescription(text: string): string {
  if (utf8ByteCount(text) > maxDescriptionBytes)
    refuseInput(`the description is longer than ${maxDescriptionBytes} bytes; shorten it`);
  if (!text.isWellFormed()) refuseInput("the description is not valid Unicode text");
  return text;
}

/** Columns are fields of the query language. A column that no row has is shown empty. */
export function checkColumns(columns: readonly string[]): readonly string[] {
  if (columns.length > maxColumnCount) refuseInput(`columns: ${columns.length} are more than ${maxColumnCount}`);
  for (const column of columns) {
    const field = column.length > maxFieldLength ? undefined : resolveField(column)?.field;
    if (field === undefined || field === "at")
      refuseInput(`columns: there is no field ${quote(column)}; write fields as in queries, such as name or label.app`);
  }
  return columns;
}

/** Checks the length of each field. What it names is checked with the query. */
export function checkFieldLengths(what: string, fields: readonly string[]): readonly string[] {
  if (fields.some((field) => field.length > maxFieldLength))
    refuseInput(`${what}: a field is longer than ${maxFieldLength} characters`);
  return fields;
}
