// SPDX-License-Identifier: Apache-2.0
// The counts in the status of a PodDisruptionBudget.

import { type JsonObject } from "../../apiserver/json/json.ts";
import { objectAt, textOf, valueAt } from "../../apiserver/json/json-fields.ts";
import type { ObjectReader } from "../../apiserver/resources/object-reader.ts";
import { toCount } from "./deployment/rollout-plan.ts";
import { countAt, isTerminating, nameOf, namespaceOf, timeAt, uidOf } from "./object-parts.ts";
import { controllerOf, ownerKinds } from "./owner.ts";
import { isReady } from "./pod-facts.ts";

/** How long an evicted Pod may remain before it counts as healthy again: the real controller's value. */
const deletionTimeoutMs = 2 * 60_000;

/** Pod counts, and the evicted Pods that still exist with the time of their eviction. */
export interface DisruptionCounts {
  readonly expectedCount: number;
  readonly desiredCount: number;
  readonly healthyCount: number;
  readonly disruptedPods: Readonly<Record<string, string>>;
  /** Time until an evicted Pod counts again; undefined if there is none. */
  readonly recheckInMs: number | undefined;
}

/** Thrown if the counts of a budget cannot be computed. */
export class UncountablePods extends Error {}

/**
 * Counts the Pods of a budget. Throws UncountablePods if the budget needs the scale of a Pod's controller and the
 * controller has none.
 */
export function countDisruptions(
  objects: ObjectReader,
  budget: JsonObject,
  pods: readonly JsonObject[],
  nowMs: number,
): DisruptionCounts {
  const disrupted = pods.flatMap((pod) => {
    const at = timeAt(budget, "status", "disruptedPods", nameOf(pod));
    return at === undefined || isTerminating(pod) || at + deletionTimeoutMs < nowMs ? [] : [{ name: nameOf(pod), at }];
  });
  const names = new Set(disrupted.map(({ name }) => name));
  const healthy = pods.filter((pod) => !isTerminating(pod) && !names.has(nameOf(pod)) && isReady(pod));
  const times = objectAt(budget, "status", "disruptedPods") ?? {};
  const waits = disrupted.map(({ at }) => at + deletionTimeoutMs - nowMs + 1);
  return {
    ...wantedCounts(objects, budget, pods),
    healthyCount: healthy.length,
    disruptedPods: Object.fromEntries(disrupted.map(({ name }) => [name, textOf(times, name)])),
    recheckInMs: waits.length === 0 ? undefined : Math.min(...waits),
  };
}

/**
 * An absolute `minAvailable` compares with the existing Pods. Anything else compares with the scale of their
 * controllers.
 */
function wantedCounts(
  objects: ObjectReader,
  budget: JsonObject,
  pods: readonly JsonObject[],
): Pick<DisruptionCounts, "expectedCount" | "desiredCount"> {
  const most = valueAt(budget, "spec", "maxUnavailable");
  const least = valueAt(budget, "spec", "minAvailable");
  if (most !== undefined) {
    const expectedCount = scaleOf(objects, pods);
    return { expectedCount, desiredCount: Math.max(0, expectedCount - toCount(most, expectedCount, Math.ceil)) };
  }
  if (least === undefined) return { expectedCount: 0, desiredCount: 0 };
  const expectedCount = typeof least === "string" ? scaleOf(objects, pods) : pods.length;
  return { expectedCount, desiredCount: toCount(least, expectedCount, Math.ceil) };
}

/** The summed scale of these Pods' controllers. Pods without a controller do not count. */
function scaleOf(objects: ObjectReader, pods: readonly JsonObject[]): number {
  const wanted = new Map<string, number>();
  for (const pod of pods) {
    const reference = controllerOf(pod);
    if (reference === undefined) continue;
    const owner = scaledOwner(objects, namespaceOf(pod), reference);
    if (owner === undefined) throw new UncountablePods(`found no controllers for pod "${nameOf(pod)}"`);
    wanted.set(uidOf(owner), countAt(owner, "spec", "replicas") ?? 1);
  }
  return [...wanted.values()].reduce((sum, each) => sum + each, 0);
}

/** Kinds that have a scale. */
const scaledKinds = [ownerKinds.replicaSet, ownerKinds.statefulSet, ownerKinds.replicationController];

/** The referenced controller, or the Deployment that controls it. Undefined if it is gone or has no scale. */
function scaledOwner(objects: ObjectReader, namespace: string, reference: JsonObject): JsonObject | undefined {
  const kind = scaledKinds.find((each) => each.kind === textOf(reference, "kind"));
  const owner = kind && objects.get(kind.resource, namespace, textOf(reference, "name"));
  if (owner === undefined || uidOf(owner) !== textOf(reference, "uid")) return undefined;
  const above = controllerOf(owner);
  if (above === undefined || textOf(above, "kind") !== ownerKinds.deployment.kind) return owner;
  const deployment = objects.get(ownerKinds.deployment.resource, namespace, textOf(above, "name"));
  return deployment !== undefined && uidOf(deployment) === textOf(above, "uid") ? deployment : undefined;
}
