// SPDX-License-Identifier: Apache-2.0
// What the kinds that run Pods from a template share: counts, images, and how far their controller has come.

import { createStatusReport, type StatusReport } from "../model/status.ts";
import type { ReconcileFacts } from "../model/status-rules.ts";
import { compareUtf8 } from "../model/text.ts";
import { type Condition, statusFrom } from "./conditions.ts";
import { fieldOf, integerOf, listOf, textOf } from "./fields.ts";
import { type Columns, type KindColumn, setColumn } from "./kind.ts";
import { labelSelectorTexts } from "./label-selector-texts.ts";

/** A count of the status; one that is absent is 0, because Kubernetes leaves zeros out. */
export function countOf(object: unknown, field: string): number {
  return integerOf(object, "status", field) ?? 0;
}

/** How many replicas are asked for; 1 where the spec does not say. */
export function replicasOf(object: unknown): number {
  return integerOf(object, "spec", "replicas") ?? 1;
}

/** What of a Pod template is told, as `kubectl get -o wide` does: names of its containers, images of all of them, and which Pods it is for. */
export const templateColumns: readonly KindColumn[] = [
  { name: "containers", type: "stringList" },
  { name: "images", type: "stringList", isMain: true },
  { name: "selector", type: "stringList" },
];

/** Sets them, from the template and selector in the spec of `owner`. Containers keep their order; images, of init containers too, are a set (KI8). */
export function setTemplate(columns: Columns, owner: unknown): void {
  const pod = fieldOf(owner, "spec", "template", "spec");
  const containers = listOf(pod, "containers");
  const images = [...listOf(pod, "initContainers"), ...containers].flatMap((each) => textOf(each, "image") ?? []);
  setColumn(
    columns,
    "containers",
    containers.flatMap((each) => textOf(each, "name") ?? []),
  );
  setColumn(columns, "images", [...new Set(images)].sort(compareUtf8));
  setColumn(columns, "selector", labelSelectorTexts(fieldOf(owner, "spec", "selector")));
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

/**
 * The status of a workload that is rolled out: all, some or none of what it wants is there. What is ready and not yet available
 * only waits for `minReadySeconds`.
 */
export function availability(available: number, wanted: number, ready = available): StatusReport {
  if (available >= wanted) return createStatusReport("healthy");
  if (ready >= wanted)
    return rollingOut("MinReadySeconds", `${ready} of ${wanted} replicas are ready, ${available} for long enough`);
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
