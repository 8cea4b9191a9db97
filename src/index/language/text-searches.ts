// SPDX-License-Identifier: Apache-2.0
// What a filter costs: conditions that search texts are compared with every distinct text of a kind in a cluster.
import type { Predicate, TextTest } from "./query-predicate.ts";

/** The most searches of one query (QL1): 32 of them over 50,000 distinct names take some 130 ms. */
export const maxSearchCount = 32;

/** Fields with few distinct texts. */
const smallFields: ReadonlySet<string> = new Set(["cluster", "region", "environment", "namespace"]);

const isPattern = (test: TextTest | undefined): boolean => test !== undefined && test.kind !== "equals";

/** Whether a condition compares a pattern with every distinct text. */
export function isTextSearch(predicate: Predicate): boolean {
  switch (predicate.kind) {
    case "text":
      return true;
    case "field":
      return isPattern(predicate.test) && !smallFields.has(predicate.field);
    case "label":
    case "annotation":
    case "owner":
    case "image":
      return isPattern(predicate.test);
    case "column":
      return isPattern(predicate.test.text);
    default:
      return false;
  }
}

/**
 * How many times the work of a plain filter one row costs; 1 for the usual queries. Measured: a search takes up to 80 ns
 * for each distinct text, another condition 2 ns for each row, the rest of a query 10 ns.
 */
export function filterWeight(filter: Predicate): number {
  let [searchCount, conditionCount] = [0, 0];
  const visit = (predicate: Predicate): void => {
    if (predicate.kind === "and" || predicate.kind === "or") predicate.parts.forEach(visit);
    else if (predicate.kind === "not") visit(predicate.of);
    else if (isTextSearch(predicate)) searchCount += 1;
    else conditionCount += 1;
  };
  visit(filter);
  return Math.max(1, searchCount / 2 + conditionCount / 16);
}
