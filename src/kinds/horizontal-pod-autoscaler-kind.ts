// SPDX-License-Identifier: Apache-2.0
import { createStatusReport, type StatusReport } from "../model/status.ts";
import { type Condition, conditionFields, conditionsOf, findCondition, statusFrom } from "./conditions.ts";
import { integerOf, listOf, textOf, timeOf } from "./fields.ts";
import { type Columns, jsonTexts, type Kind, type Projected, setColumn, setTime } from "./kind.ts";
import { countOf } from "./workload.ts";

/** HorizontalPodAutoscalers: their target and whether they can scale it. */
export const horizontalPodAutoscalerKind: Kind = {
  resource: { group: "autoscaling", resource: "horizontalpodautoscalers" },
  kind: "HorizontalPodAutoscaler",
  versions: ["v2", "v2beta2"],
  isNamespaced: true,
  columns: [
    { name: "targetKind", type: "string", isMain: true },
    { name: "targetName", type: "string", isMain: true },
    { name: "targets", type: "stringList", isMain: true },
    { name: "minReplicas", type: "integer", isMain: true },
    { name: "maxReplicas", type: "integer", isMain: true },
    { name: "currentReplicas", type: "integer", isMain: true },
    { name: "desiredReplicas", type: "integer", isMain: true },
    { name: "lastScaledAt", type: "integer" },
    { name: "conditions", type: "stringList", isJson: true },
  ],
  project: projectAutoscaler,
};

function projectAutoscaler(object: unknown): Projected {
  const columns: Columns = new Map();
  const conditions = conditionsOf(object);
  setColumn(columns, "targetKind", textOf(object, "spec", "scaleTargetRef", "kind"));
  setColumn(columns, "targetName", textOf(object, "spec", "scaleTargetRef", "name"));
  setColumn(columns, "targets", listOf(object, "spec", "metrics").flatMap(targetOf));
  columns.set("minReplicas", integerOf(object, "spec", "minReplicas") ?? 1);
  setColumn(columns, "maxReplicas", integerOf(object, "spec", "maxReplicas"));
  columns.set("currentReplicas", countOf(object, "currentReplicas"));
  columns.set("desiredReplicas", countOf(object, "desiredReplicas"));
  setTime(columns, "lastScaledAt", timeOf(object, "status", "lastScaleTime"));
  setColumn(columns, "conditions", jsonTexts(conditions.map(conditionFields)));
  const reconcile = {
    generation: integerOf(object, "metadata", "generation") ?? 0,
    observedGeneration: integerOf(object, "status", "observedGeneration"),
    hasConditions: conditions.length > 0,
  };
  return { columns, status: statusOf(conditions), reconcile };
}

/**
 * `cpu 80%`: the target for a Pod resource. Of other metrics only the type is collected, because their names may hold
 * anything. Current values are not collected: they change at every run of the controller.
 */
function targetOf(metric: unknown): readonly string[] {
  const type = textOf(metric, "type");
  if (type === undefined) return [];
  const field = type === "Resource" ? "resource" : type === "ContainerResource" ? "containerResource" : undefined;
  const name = field === undefined ? undefined : textOf(metric, field, "name");
  if (field === undefined || name === undefined) return [type];
  const percent = integerOf(metric, field, "target", "averageUtilization");
  const amount = textOf(metric, field, "target", "averageValue") ?? textOf(metric, field, "target", "value");
  return [`${name} ${percent === undefined ? (amount ?? "") : `${percent}%`}`.trimEnd()];
}

function statusOf(conditions: readonly Condition[]): StatusReport {
  const able = findCondition(conditions, "AbleToScale");
  if (able?.status === "False") return statusFrom("unhealthy", able);
  const active = findCondition(conditions, "ScalingActive");
  // The target was scaled to zero, which disables the autoscaler.
  if (active?.status === "False" && active.reason === "ScalingDisabled") return statusFrom("suspended", active);
  if (active?.status === "False") return statusFrom("unhealthy", active);
  const limited = findCondition(conditions, "ScalingLimited");
  // The metrics call for more than the maximum. `TooFewReplicas` is normal for an idle workload.
  if (limited?.status === "True" && limited.reason === "TooManyReplicas") return statusFrom("degraded", limited);
  if (active === undefined || active.status !== "True")
    return createStatusReport("progressing", active?.reason ?? "", active?.message ?? "no metric has been read yet");
  return createStatusReport("healthy");
}
