// SPDX-License-Identifier: Apache-2.0

/** The names of the fields that every row has, with the short forms that kubectl users type (QL5). */
const fieldAliases: ReadonlyMap<string, string> = new Map([
  ["ns", "namespace"],
  ["env", "environment"],
  ["msg", "message"],
  ["labels", "label"],
  ["annotations", "annotation"],
  ["fields", "field"],
  ["resource", "kind"],
]);

/** The fields of a query, as users write them. `label.`, `annotation.` and `field.` take a name. */
export const fieldNames = [
  "cluster",
  "region",
  "environment",
  "namespace",
  "kind",
  "name",
  "status",
  "reason",
  "message",
  "age",
  "created",
  "owner",
  "image",
  "uid",
  "label.",
  "annotation.",
  "field.",
  "at",
] as const;

export type QueryFieldName = (typeof fieldNames)[number];

/** A field as written, resolved. `name` is the key of a label or annotation, or the column's name; else "". */
export interface ResolvedField {
  readonly field: QueryFieldName;
  readonly name: string;
}

/** Resolves a field as written; undefined if there is none. Field names are not case-sensitive, keys and columns are. */
export function resolveField(written: string): ResolvedField | undefined {
  const dot = written.indexOf(".");
  const base = (dot < 0 ? written : written.slice(0, dot)).toLowerCase();
  const known = fieldAliases.get(base) ?? base;
  const wanted = dot < 0 ? known : `${known}.`;
  const field = fieldNames.find((name) => name === wanted);
  const name = dot < 0 ? "" : written.slice(dot + 1);
  if (field === undefined || (dot >= 0 && name === "")) return undefined;
  return { field, name };
}
