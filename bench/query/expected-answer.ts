// SPDX-License-Identifier: Apache-2.0
// The answer to a query in a form that all programs can be compared in.
import { deepStrictEqual } from "node:assert/strict";
import type { FleetQueryAnswer } from "../../src/hub/rows/fleet-queries.ts";
import { maxFacetValues } from "../../src/index/query/query-request.ts";
import { compareUtf8 } from "../../src/model/text.ts";

export type FacetCounts = readonly (readonly [value: string, count: number])[];

export interface ComparedAnswer {
  readonly total: number;
  /** `cluster resource namespace/name`, in the order of the page. */
  readonly keys: readonly string[];
  /** By field: the most frequent values, at most 100. */
  readonly facets: Readonly<Record<string, FacetCounts>>;
}

export function keyText(cluster: string, resource: string, namespace: string, name: string): string {
  return `${cluster} ${resource} ${namespace}/${name}`;
}

/** The answer of the index. */
export function toCompared({ total, rows, facets }: FleetQueryAnswer): ComparedAnswer {
  return {
    total,
    keys: rows.map(({ cluster, resource, row }) => keyText(cluster, resource, row.namespace, row.name)),
    facets: Object.fromEntries(
      facets.map(({ field, values }) => [field, values.map(({ value, count }) => [value, count] as const)]),
    ),
  };
}

/** Counts in no order as those of a facet: without the empty value, the most frequent first, at most 100. */
export function topCounts(counts: Iterable<readonly [value: string, count: number]>): FacetCounts {
  return [...counts]
    .filter(([value]) => value !== "")
    .sort(([a, aCount], [b, bCount]) => bCount - aCount || compareUtf8(a, b))
    .slice(0, maxFacetValues);
}

/** Throws if the two differ. */
export function assertSameAnswer(what: string, found: ComparedAnswer, expected: ComparedAnswer): void {
  try {
    deepStrictEqual(found, expected);
  } catch (reason) {
    throw new Error(`another answer than the index: ${what}`, { cause: reason });
  }
}
