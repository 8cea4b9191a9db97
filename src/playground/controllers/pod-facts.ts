// SPDX-License-Identifier: Apache-2.0
// Facts about a Pod that controllers need.

import { type JsonObject } from "../../apiserver/json/json.ts";
import { countOf, objectsAt, textOf } from "../../apiserver/json/json-fields.ts";
import { annotationOf, conditionOf, isConditionTrue, isTerminating, nameOf, timeAt } from "./object-parts.ts";

/** `status.phase` */
export function phaseOf(pod: JsonObject): string {
  return textOf(pod, "status", "phase");
}

/** All its containers have terminated and none will restart. */
export function isFinished(pod: JsonObject): boolean {
  const phase = phaseOf(pod);
  return phase === "Succeeded" || phase === "Failed";
}

/** Whether it counts as a replica: neither terminating nor finished. */
export function isActive(pod: JsonObject): boolean {
  return !isTerminating(pod) && !isFinished(pod);
}

/** Whether its Ready condition is true; it may still be terminating. */
export function isReady(pod: JsonObject): boolean {
  return isConditionTrue(pod, "Ready");
}

/** When a ready Pod becomes available; undefined if it is not ready. */
function availableAtMs(pod: JsonObject, minReadySeconds: number): number | undefined {
  const ready = conditionOf(pod, "Ready");
  if (ready === undefined || textOf(ready, "status") !== "True") return undefined;
  return minReadySeconds === 0 ? 0 : (timeAt(ready, "lastTransitionTime") ?? 0) + minReadySeconds * 1000;
}

/** Counts of ready and available Pods, and the time until the next becomes available. */
export interface PodTally {
  readonly readyCount: number;
  readonly availableCount: number;
  readonly nextAvailableInMs: number | undefined;
}

/** Counts these Pods at `nowMs`. */
export function tallyPods(pods: readonly JsonObject[], minReadySeconds: number, nowMs: number): PodTally {
  const times = pods.flatMap((pod) => availableAtMs(pod, minReadySeconds) ?? []);
  const waits = times.filter((at) => at > nowMs).map((at) => at - nowMs);
  return {
    readyCount: times.length,
    availableCount: times.length - waits.length,
    nextAvailableInMs: waits.length === 0 ? undefined : Math.min(...waits),
  };
}

/** Restarts of all its containers. */
export function restartCountOf(pod: JsonObject): number {
  return objectsAt(pod, "status", "containerStatuses").reduce((sum, each) => sum + countOf(each, "restartCount"), 0);
}

const phaseRank: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

/**
 * Pods in the order in which a controller deletes them: least advanced first, then lowest deletion cost, then youngest.
 */
export function byExpendability(pods: readonly JsonObject[]): readonly JsonObject[] {
  const rank = (pod: JsonObject): readonly number[] => [
    textOf(pod, "spec", "nodeName") === "" ? 0 : 1,
    phaseRank[phaseOf(pod)] ?? 0,
    isReady(pod) ? 1 : 0,
    Number(annotationOf(pod, "controller.kubernetes.io/pod-deletion-cost") ?? 0) || 0,
    -(timeAt(conditionOf(pod, "Ready") ?? {}, "lastTransitionTime") ?? 0),
    -restartCountOf(pod),
    -(timeAt(pod, "metadata", "creationTimestamp") ?? 0),
  ];
  const ranked = pods.map((pod) => ({ pod, rank: rank(pod), name: nameOf(pod) }));
  ranked.sort((a, b) => {
    for (const [index, value] of a.rank.entries()) {
      const difference = value - (b.rank[index] ?? 0);
      if (difference !== 0) return difference;
    }
    return a.name < b.name ? -1 : 1;
  });
  return ranked.map(({ pod }) => pod);
}
