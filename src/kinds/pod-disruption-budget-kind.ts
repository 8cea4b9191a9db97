// SPDX-License-Identifier: Apache-2.0
import { createStatusReport, type StatusReport } from "../model/status.ts";
import { type Condition, conditionFields, conditionsOf, findCondition, statusFrom } from "./conditions.ts";
import { fieldOf, integerOf, textOf } from "./fields.ts";
import { type Columns, jsonTexts, type Kind, type Projected, setColumn } from "./kind.ts";
import { labelSelectorTexts } from "./label-selector-texts.ts";
import { countOf, generationFacts } from "./workload.ts";

/** PodDisruptionBudgets: how many Pods may be evicted, and whether enough Pods are healthy. */
export const podDisruptionBudgetKind: Kind = {
  resource: { group: "policy", resource: "poddisruptionbudgets" },
  kind: "PodDisruptionBudget",
  versions: ["v1"],
  isNamespaced: true,
  columns: [
    { name: "minAvailable", type: "string", isMain: true },
    { name: "maxUnavailable", type: "string", isMain: true },
    { name: "disruptionsAllowed", type: "integer", isMain: true },
    { name: "currentHealthy", type: "integer", isMain: true },
    { name: "desiredHealthy", type: "integer", isMain: true },
    { name: "expectedPods", type: "integer" },
    { name: "selector", type: "stringList" },
    { name: "conditions", type: "stringList", isJson: true },
  ],
  project: projectBudget,
};

function projectBudget(object: unknown): Projected {
  const columns: Columns = new Map();
  const conditions = conditionsOf(object);
  setColumn(columns, "minAvailable", shareOf(object, "minAvailable"));
  setColumn(columns, "maxUnavailable", shareOf(object, "maxUnavailable"));
  for (const field of ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"])
    columns.set(field, countOf(object, field));
  setColumn(columns, "selector", labelSelectorTexts(fieldOf(object, "spec", "selector")));
  setColumn(columns, "conditions", jsonTexts(conditions.map(conditionFields)));
  return { columns, status: statusOf(object, conditions), reconcile: generationFacts(object) };
}

/** A number or a percentage, as written. */
function shareOf(object: unknown, field: string): string | undefined {
  return integerOf(object, "spec", field)?.toString() ?? textOf(object, "spec", field);
}

/**
 * A budget that allows no eviction can be normal, such as one Pod of one. It is `degraded` with fewer healthy Pods than
 * it requires (KI29).
 */
function statusOf(object: unknown, conditions: readonly Condition[]): StatusReport {
  const allowed = findCondition(conditions, "DisruptionAllowed");
  if (allowed?.status === "False" && allowed.reason === "SyncFailed") return statusFrom("unhealthy", allowed);
  const [healthy, desired] = [countOf(object, "currentHealthy"), countOf(object, "desiredHealthy")];
  if (healthy >= desired) return createStatusReport("healthy");
  return createStatusReport(
    "degraded",
    "InsufficientPods",
    `${healthy} of the ${desired} Pods it asks for are healthy`,
  );
}
