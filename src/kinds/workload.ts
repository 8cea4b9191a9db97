// SPDX-License-Identifier: Apache-2.0
// What the kinds that run Pods from a template share: counts, images, and how far their controller has come.

import { createStatusReport, type StatusReport } from "../model/status.ts";
import type { ReconcileFacts } from "../model/status-rules.ts";
import { compareUtf8 } from "../model/text.ts";
import { type Condition, statusFrom } from "./conditions.ts";
import { integerOf, listOf, textOf } from "./fields.ts";

/** A count of the status; one that is absent is 0, because Kubernetes leaves zeros out. */
export function countOf(object: unknown, field: string): number {
  return integerOf(object, "status", field) ?? 0;
}

/** How many replicas are asked for; 1 where the spec does not say. */
export function replicasOf(object: unknown): number {
  return integerOf(object, "spec", "replicas") ?? 1;
}

/** The images of a Pod template, init containers included, sorted, each once (KI8). */
export function templateImages(template: unknown): string[] {
  const containers = [...listOf(template, "spec", "initContainers"), ...listOf(template, "spec", "containers")];
  return [...new Set(containers.flatMap((each) => textOf(each, "image") ?? []))].sort(compareUtf8);
}

/** Facts for CO16 of a kind whose controller always writes an observed generation: none means that it has not looked yet. */
export function generationFacts(object: unknown): ReconcileFacts {
  return {
    generation: integerOf(object, "metadata", "generation") ?? 0,
    observedGeneration: countOf(object, "observedGeneration"),
    hasConditions: true,
  };
}

/** `suspended` once nothing runs any more, `progressing` on the way there (KI12). */
export function scaledToZero(runningCount: number): StatusReport {
  return runningCount > 0
    ? createStatusReport("progressing", "ScalingDown", `${runningCount} replicas are still there`)
    : createStatusReport("suspended", "ScaledToZero");
}

/** The status of a workload that is rolled out: all, some or none of what it wants is there. */
export function availability(available: number, wanted: number): StatusReport {
  if (available >= wanted) return createStatusReport("healthy");
  const message = `${available} of ${wanted} replicas are available`;
  return available > 0
    ? createStatusReport("degraded", "SomeUnavailable", message)
    : createStatusReport("unhealthy", "NoneAvailable", message);
}

/** A condition that says Pods cannot be made: `degraded` while some work is done without them. */
export function replicaFailure(condition: Condition | undefined, available: number): StatusReport | undefined {
  if (condition?.status !== "True") return undefined;
  return statusFrom(available > 0 ? "degraded" : "unhealthy", condition);
}

/** `progressing` with a count, for a rollout that goes on. */
export function rollingOut(reason: string, message: string): StatusReport {
  return createStatusReport("progressing", reason, message);
}
