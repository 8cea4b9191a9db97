// SPDX-License-Identifier: Apache-2.0
// Facets and groups: how many rows have which values.
import type { JsonObject } from "@bufbuild/protobuf";
import { type Facet, FacetSchema, type ObjectGroup } from "../../gen/flotilla/query/v1/query_pb.ts";
import { toPlainJson } from "../output/plain-json.ts";
import { renderTable } from "../output/text-table.ts";

/** The facets as tables, with an empty line before each. */
export function renderFacets(facets: readonly Facet[]): string {
  return facets.map((facet) => `\n${renderFacet(facet)}`).join("");
}

function renderFacet({ field, values, otherCount, noneCount }: Facet): string {
  const rows = values.map(({ value, count }) => [value, String(count)]);
  if (otherCount > 0n) rows.push(["(other values)", String(otherCount)]);
  if (noneCount > 0n) rows.push(["(none)", String(noneCount)]);
  return renderTable([toTitle(field), "COUNT"], rows);
}

export function toFacetObjects(facets: readonly Facet[]): JsonObject[] {
  return facets.map((facet) => toPlainJson(FacetSchema, facet));
}

/** The titles and rows of a table of groups. An absent value is "". */
export interface GroupRows {
  readonly titles: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

/** LEAST and GREATEST are columns if a measure was asked for. */
export function toGroupTable(fields: readonly string[], groups: readonly ObjectGroup[], measure: string): GroupRows {
  const hasMeasure = measure !== "";
  return {
    titles: [...fields.map(toTitle), "COUNT", ...(hasMeasure ? ["LEAST", "GREATEST"] : [])],
    rows: groups.map(({ values, count, least, greatest }) => [
      ...fields.map((_field, at) => values[at] ?? ""),
      Number(count),
      ...(hasMeasure ? [least ?? "", greatest ?? ""] : []),
    ]),
  };
}

/** A group as JSON: its values by field. A measure without a value is null. */
export function toGroupObject(fields: readonly string[], group: ObjectGroup, measure: string): JsonObject {
  const { values, count, least = null, greatest = null } = group;
  return {
    values: Object.fromEntries(fields.map((field, at) => [field, values[at] ?? ""])),
    count: Number(count),
    ...(measure === "" ? {} : { least, greatest }),
  };
}

/** `label.app` as LABEL.APP. */
function toTitle(field: string): string {
  return field.toUpperCase();
}
