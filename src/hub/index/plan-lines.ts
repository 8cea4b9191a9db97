// SPDX-License-Identifier: Apache-2.0
import type { PlanAccess, QueryPlan } from "../../index/query/query-plan.ts";

const accessWords: Readonly<Record<PlanAccess, string>> = {
  tables: "whole kinds and clusters, no rows",
  postings: "postings",
  dictionarySearch: "search of distinct texts",
  columnScan: "scan of a column",
  rowByRow: "row by row",
};

/** The plan as lines for people (QL15). */
export function planLines(plan: QueryPlan): readonly string[] {
  const { readClusterCount, skippedClusterCount, readKindCount, skippedKindCount } = plan;
  return [
    ...plan.parts.map(({ text, access }) => `${text}: ${accessWords[access]}`),
    `clusters: ${readClusterCount} read, ${skippedClusterCount} ruled out`,
    `kinds in clusters: ${readKindCount} read, ${skippedKindCount} ruled out`,
    `visible rows: ${plan.readRowCount} read, ${plan.matchedRowCount} matched`,
  ];
}
