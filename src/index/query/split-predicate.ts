// SPDX-License-Identifier: Apache-2.0
import type { Predicate } from "../language/query-predicate.ts";
import { isOfLabels } from "../scan/label-sets.ts";
import { isCellular } from "./cell-filter.ts";

/** A predicate that holds if both parts do. */
export interface SplitPredicate {
  /** Over kind, cluster, namespace and status. */
  readonly cells: Predicate;
  /** Over labels; undefined if there are none. */
  readonly labels: Predicate | undefined;
}

/** The two parts of a predicate; undefined if it looks at other fields, or joins both kinds by `or` or `not`. */
export function splitPredicate(predicate: Predicate): SplitPredicate | undefined {
  if (isCellular(predicate)) return { cells: predicate, labels: undefined };
  if (isOfLabels(predicate)) return { cells: { kind: "all" }, labels: predicate };
  if (predicate.kind !== "and") return undefined;
  const [cells, labels]: [Predicate[], Predicate[]] = [[], []];
  for (const part of predicate.parts) {
    const split = splitPredicate(part);
    if (split === undefined) return undefined;
    cells.push(split.cells);
    if (split.labels !== undefined) labels.push(split.labels);
  }
  return { cells: { kind: "and", parts: cells }, labels: { kind: "and", parts: labels } };
}
