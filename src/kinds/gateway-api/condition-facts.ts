// SPDX-License-Identifier: Apache-2.0
// The Gateway API has an observed generation in each condition, and separate conditions for each parent of a route.
import type { ReconcileFacts } from "../../model/status-rules.ts";
import { type Condition, conditionsOf } from "../conditions.ts";
import { integerOf, listOf } from "../fields.ts";

/** The conditions of a part of a status that has its own field `conditions`: a listener or a parent. */
export function partConditions(part: unknown): readonly Condition[] {
  return conditionsOf({ status: part });
}

/**
 * Facts for CO16: the oldest generation that a condition of these holders has observed. A holder is anything with
 * `status.conditions`.
 */
export function conditionFacts(object: unknown, holders: readonly unknown[]): ReconcileFacts {
  const conditions = holders.flatMap((holder) => listOf(holder, "status", "conditions"));
  const observed = conditions.flatMap((each) => integerOf(each, "observedGeneration") ?? []);
  return {
    generation: integerOf(object, "metadata", "generation") ?? 0,
    observedGeneration: observed.length === 0 ? undefined : observed.reduce((a, b) => Math.min(a, b)),
    hasConditions: conditions.length > 0,
  };
}
