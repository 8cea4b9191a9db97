// SPDX-License-Identifier: Apache-2.0
// The status that Flux's controllers report, alike for all their kinds.
import { createStatusReport, type StatusReport } from "../../model/status.ts";
import {
  type Condition,
  conditionStatus,
  conditionsOf,
  findCondition,
  reconcileFactsOf,
  statusFrom,
} from "../conditions.ts";
import { booleanOf } from "../fields.ts";
import type { Projected } from "../kind.ts";
import { sourceMessage } from "../source-url.ts";

/**
 * `suspended` where the object is switched off (KI12), whatever its generation: nobody looks at it then. Else by the conditions, with one difference to KI10: Flux
 * keeps `Reconciling` true while it tries again after a failure, so a false `Ready` is a failure all the same, except while it waits for what it depends on.
 */
export function fluxStatus(object: unknown): Pick<Projected, "status" | "reconcile"> {
  if (booleanOf(object, "spec", "suspend") === true)
    return { status: createStatusReport("suspended", "Suspended", "reconciliation is suspended") };
  // Messages quote addresses, and addresses hold credentials (L18). Before they are cut, since half an address cannot be cleaned.
  const conditions = conditionsOf(object).map((each) => ({ ...each, message: sourceMessage(each.message) }));
  return {
    status: failureOf(conditions) ?? conditionStatus(conditions),
    reconcile: { ...reconcileFactsOf(object), hasConditions: conditions.length > 0 },
  };
}

function failureOf(conditions: readonly Condition[]): StatusReport | undefined {
  if (findCondition(conditions, "Stalled")?.status === "True") return undefined;
  const ready = findCondition(conditions, "Ready");
  if (ready?.status !== "False") return undefined;
  return statusFrom(ready.reason === "DependencyNotReady" ? "progressing" : "unhealthy", ready);
}
