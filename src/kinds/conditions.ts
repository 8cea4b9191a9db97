// SPDX-License-Identifier: Apache-2.0
// Conditions of Kubernetes objects, and the status rule for kinds that have no rule of their own (KI10).
import { createStatusReport, type Status, type StatusReport } from "../model/status.ts";
import { fieldOf, isObject, listOf, textOf } from "./fields.ts";

/** One condition. Its status is "True", "False" or "Unknown", as the object has it. */
export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** The conditions in `status.conditions`, in their order. */
export function conditionsOf(object: unknown): readonly Condition[] {
  const conditions: Condition[] = [];
  for (const each of listOf(object, "status", "conditions")) {
    const type = textOf(each, "type");
    if (type === undefined) continue;
    const status = textOf(each, "status") ?? "Unknown";
    conditions.push({ type, status, reason: textOf(each, "reason") ?? "", message: textOf(each, "message") ?? "" });
  }
  return conditions;
}

/** The condition of that type; the last one if an object lists the type twice. */
export function findCondition(conditions: readonly Condition[], type: string): Condition | undefined {
  return conditions.findLast((each) => each.type === type);
}

/** A status with the condition's reason and message. */
export function statusFrom(status: Status, condition: Condition): StatusReport {
  return createStatusReport(status, condition.reason, condition.message);
}

/** Condition types that decide the status, in order of precedence (KI10). */
const decidingTypes = ["Ready", "Available", "Established", "Synced", "Accepted"];

/** The status by the standard conditions; undefined if the object has none of them (KI10). */
export function conditionStatus(conditions: readonly Condition[]): StatusReport | undefined {
  const stalled = findCondition(conditions, "Stalled");
  if (stalled?.status === "True") return statusFrom("unhealthy", stalled);
  const reconciling = findCondition(conditions, "Reconciling");
  if (reconciling?.status === "True") return statusFrom("progressing", reconciling);
  const deciding = decidingTypes.map((type) => findCondition(conditions, type)).find((each) => each !== undefined);
  if (deciding === undefined) return undefined;
  if (deciding.status === "True") return statusFrom("healthy", deciding);
  return statusFrom(deciding.status === "False" ? "unhealthy" : "progressing", deciding);
}

/**
 * Facts for CO16: the generation the controller has observed, if reported, and whether the controller has reported at
 * all.
 */
export function reconcileFactsOf(object: unknown): {
  readonly generation: number;
  readonly observedGeneration: number | undefined;
  readonly hasConditions: boolean;
} {
  const generation = fieldOf(object, "metadata", "generation");
  const observed = fieldOf(object, "status", "observedGeneration");
  return {
    generation: typeof generation === "number" ? generation : 0,
    observedGeneration: typeof observed === "number" ? observed : undefined,
    hasConditions: conditionsOf(object).length > 0 || isObject(fieldOf(object, "status")),
  };
}

/**
 * A condition as an element of a row (KI7). Its message is left out; the deciding condition's message is in the status.
 */
export function conditionFields({ type, status, reason }: Condition): Readonly<Record<string, unknown>> {
  return { type, status, reason: reason === "" ? undefined : reason };
}
