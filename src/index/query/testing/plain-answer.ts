// SPDX-License-Identifier: Apache-2.0
// Answers of queries, computed the plain way over all rows: what the index is compared with.
import { statusRank } from "../../../model/status.ts";
import { compareUtf8 } from "../../../model/text.ts";
import { isVisible } from "../../../rbac/visibility.ts";
import type { FieldRef, SortField } from "../../language/field-ref.ts";
import { parseQuantity } from "../../language/quantity-amount.ts";
import { compareTypedTexts, typeText } from "../../language/typed-text.ts";
import { holdsFor } from "../../scan/testing/holds-for.ts";
import type { FacetAnswer, GroupRequest, GroupsAnswer, QueryRequest } from "../query-request.ts";
import { type PlainRow, plainValues } from "./plain-values.ts";

function compareKeys(a: PlainRow, b: PlainRow): number {
  return (
    compareUtf8(a.cluster, b.cluster) ||
    compareUtf8(a.resource, b.resource) ||
    compareUtf8(a.row.namespace, b.row.namespace) ||
    compareUtf8(a.row.name, b.row.name)
  );
}

function sortValue(ref: FieldRef, found: PlainRow, nowMs: number): string | number | undefined {
  if (ref.field === "status") return statusRank(found.row.status);
  const [value] = plainValues(ref, found, nowMs);
  const own = ref.field === "field." ? found.row.columns.get(ref.name) : undefined;
  return typeof own === "boolean" ? Number(own) : value;
}

function compareBy({ ref, isDescending }: SortField, a: PlainRow, b: PlainRow, nowMs: number): number {
  const [left, right] = [sortValue(ref, a, nowMs), sortValue(ref, b, nowMs)];
  if (left === undefined || right === undefined) return left === right ? 0 : left === undefined ? 1 : -1;
  let order: number;
  if (typeof left === "number" && typeof right === "number") order = left - right;
  else if (ref.field === "field.") order = compareTypedTexts(typed(left, ref), typed(right, ref));
  else order = compareUtf8(String(left), String(right));
  return isDescending ? -order : order;
}

function typed(value: string | number, { name }: FieldRef): ReturnType<typeof typeText> {
  return typeof value === "number" ? { kind: "number", value } : typeText(value, name);
}

/** The rows of all pages, in order. */
export function plainRows(all: readonly PlainRow[], request: QueryRequest): readonly PlainRow[] {
  const { filter, visibilityOf, nowMs, sort = [] } = request;
  const found: PlainRow[] = [];
  for (const each of all) {
    const { cluster, resource, row, fields } = each;
    if (!isVisible(visibilityOf(cluster, resource), row.namespace, row.name)) continue;
    if (holdsFor(filter, { row, resource, fields, nowMs })) found.push(each);
  }
  return found.sort((a, b) => {
    for (const field of sort) {
      const order = compareBy(field, a, b, nowMs);
      if (order !== 0) return order;
    }
    return compareKeys(a, b);
  });
}

/** One facet of these rows. */
export function plainFacet(rows: readonly PlainRow[], ref: FieldRef, nowMs: number): FacetAnswer {
  const counts = new Map<string, number>();
  let noneCount = 0;
  for (const row of rows) {
    const values = plainValues(ref, row, nowMs);
    if (values.length === 0) noneCount += 1;
    for (const value of values) counts.set(String(value), (counts.get(String(value)) ?? 0) + 1);
  }
  const sorted = Array.from(counts, ([value, count]) => ({ value, count })).sort(
    (a, b) => b.count - a.count || compareUtf8(a.value, b.value),
  );
  const otherCount = sorted.slice(100).reduce((sum, { count }) => sum + count, 0);
  return { ref, values: sorted.slice(0, 100), otherCount, noneCount };
}

/** The groups of these rows. */
export function plainGroups(rows: readonly PlainRow[], { by, of }: GroupRequest, nowMs: number): GroupsAnswer {
  const groups = new Map<string, { values: (string | undefined)[]; count: number; measures: number[] }>();
  for (const row of rows) {
    let keys: (string | undefined)[][] = [[]];
    for (const ref of by) {
      const values = plainValues(ref, row, nowMs).map(String);
      const choices = values.length === 0 ? [undefined] : values;
      keys = keys.flatMap((key) => choices.map((choice) => [...key, choice]));
    }
    const measure = of === undefined ? undefined : measureOf(of, row, nowMs);
    for (const values of keys) {
      const id = JSON.stringify(values.map((value) => value ?? null));
      const group = groups.get(id) ?? { values, count: 0, measures: [] };
      group.count += 1;
      if (measure !== undefined) group.measures.push(measure);
      groups.set(id, group);
    }
  }
  const sorted = [...groups.values()].sort((a, b) => b.count - a.count || compareValues(a.values, b.values));
  const shown = sorted.slice(0, 1_000).map(({ values, count, measures }) => ({
    values,
    count,
    ...(measures.length === 0 ? {} : { min: Math.min(...measures), max: Math.max(...measures) }),
  }));
  return { groups: shown, otherCount: sorted.length - shown.length };
}

function measureOf(ref: FieldRef, row: PlainRow, nowMs: number): number | undefined {
  const own = ref.field === "field." ? row.row.columns.get(ref.name) : undefined;
  if (typeof own === "boolean") return undefined;
  const [value] = plainValues(ref, row, nowMs);
  return typeof value === "string" ? parseQuantity(value) : value;
}

function compareValues(a: readonly (string | undefined)[], b: readonly (string | undefined)[]): number {
  for (const [at, left] of a.entries()) {
    const right = b[at];
    if (left === right) continue;
    if (left === undefined || right === undefined) return left === undefined ? 1 : -1;
    return compareUtf8(left, right);
  }
  return 0;
}
