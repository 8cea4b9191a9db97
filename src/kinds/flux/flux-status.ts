// SPDX-License-Identifier: Apache-2.0
// The status that Flux's controllers report. All Flux kinds share it.
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
import { sourceMessage } from "../strip-url-credentials.ts";

/**
 * `suspended` if `spec.suspend` is true, whatever the generation: Flux does not reconcile the object then (KI12).
 * Otherwise the conditions decide as in KI10, with one difference. Flux keeps `Reconciling` true while it retries after
 * a failure, so a false `Ready` is a failure, except while a dependency is not ready.
 */
export function fluxStatus(object: unknown): Pick<Projected, "status" | "reconcile"> {
  if (booleanOf(object, "spec", "suspend") === true)
    return { status: createStatusReport("suspended", "Suspended", "reconciliation is suspended") };
  // Messages quote addresses, which may hold credentials (L18). They are cleaned before any truncation, since a
  // truncated address cannot be cleaned.
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
