// SPDX-License-Identifier: Apache-2.0
// Shared by kinds that run Pods from a template: counts, images, and what their controller has observed.

import { createStatusReport, type StatusReport } from "../model/status.ts";
import type { ReconcileFacts } from "../model/status-rules.ts";
import { compareUtf8 } from "../model/text.ts";
import { type Condition, statusFrom } from "./conditions.ts";
import { fieldOf, integerOf, listOf, textOf } from "./fields.ts";
import { type Columns, isSameList, type KindColumn, setColumn } from "./kind.ts";
import { labelSelectorTexts } from "./label-selector-texts.ts";

/** A count of the status. An absent count is 0, because Kubernetes omits zeros. */
export function countOf(object: unknown, field: string): number {
  return integerOf(object, "status", field) ?? 0;
}

/** The desired number of replicas; 1 if the spec does not set it. */
export function replicasOf(object: unknown): number {
  return integerOf(object, "spec", "replicas") ?? 1;
}

/**
 * Columns of a Pod template, as in `kubectl get -o wide`: container names, images of all containers, and the selector.
 * `containerImages` are the images in the order of `containers`, set where that differs from `images`.
 */
export const templateColumns: readonly KindColumn[] = [
  { name: "containers", type: "stringList" },
  { name: "images", type: "stringList", isMain: true },
  { name: "containerImages", type: "stringList" },
  { name: "selector", type: "stringList" },
];

/**
 * Sets `templateColumns` from template and selector in the spec of `owner`. Containers keep their order. Images,
 * including those of init containers, are a set (KI8).
 */
export function setTemplate(columns: Columns, owner: unknown): void {
  const pod = fieldOf(owner, "spec", "template", "spec");
  const containers = listOf(pod, "containers");
  const containerImages = imagesOf(containers);
  const images = [...new Set([...imagesOf(listOf(pod, "initContainers")), ...containerImages])].sort(compareUtf8);
  setColumn(
    columns,
    "containers",
    containers.flatMap((each) => textOf(each, "name") ?? []),
  );
  setColumn(columns, "images", images);
  if (!isSameList(containerImages, images)) setColumn(columns, "containerImages", containerImages);
  setColumn(columns, "selector", labelSelectorTexts(fieldOf(owner, "spec", "selector")));
}

function imagesOf(containers: readonly unknown[]): readonly string[] {
  return containers.flatMap((each) => textOf(each, "image") ?? []);
}

/**
 * Facts for CO16 of a kind whose controller always writes an observed generation. A missing one means that it has not
 * reconciled yet.
 */
export function generationFacts(object: unknown): ReconcileFacts {
  return {
    generation: integerOf(object, "metadata", "generation") ?? 0,
    observedGeneration: countOf(object, "observedGeneration"),
    hasConditions: true,
  };
}

/** `suspended` once nothing runs any more, `progressing` until then (KI12). */
export function scaledToZero(runningCount: number): StatusReport {
  return runningCount > 0
    ? createStatusReport("progressing", "ScalingDown", `${runningCount} replicas still exist`)
    : createStatusReport("suspended", "ScaledToZero");
}

/**
 * The status of a workload after its rollout, by how many of the wanted replicas are available. Replicas that are ready
 * but not available only wait for `minReadySeconds`.
 */
export function availability(available: number, wanted: number, ready = available): StatusReport {
  if (available >= wanted) return createStatusReport("healthy");
  if (ready >= wanted)
    return rollingOut("MinReadySeconds", `${ready} of ${wanted} replicas are ready, ${available} are available`);
  const message = `${available} of ${wanted} replicas are available`;
  return available > 0
    ? createStatusReport("degraded", "SomeUnavailable", message)
    : createStatusReport("unhealthy", "NoneAvailable", message);
}

/** The status for a true ReplicaFailure condition: `degraded` while some replicas are available, else `unhealthy`. */
export function replicaFailure(condition: Condition | undefined, available: number): StatusReport | undefined {
  if (condition?.status !== "True") return undefined;
  return statusFrom(available > 0 ? "degraded" : "unhealthy", condition);
}

/** `progressing` with a count, for a rollout in progress. */
export function rollingOut(reason: string, message: string): StatusReport {
  return createStatusReport("progressing", reason, message);
}
