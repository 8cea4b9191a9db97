// SPDX-License-Identifier: Apache-2.0
// The next replica count of each ReplicaSet of a Deployment. Pure.

import { type Json, type JsonObject } from "../../../apiserver/json/json.ts";
import { countOf, textOf, valueAt } from "../../../apiserver/json/json-fields.ts";
import { countAt, timeAt, uidOf } from "../object-parts.ts";

/** One ReplicaSet in a rollout. */
export interface RolloutSet {
  readonly object: JsonObject;
  /** `spec.replicas`. */
  readonly replicas: number;
  readonly availableCount: number;
}

/** Limits in Pods. `maxUnavailable` is at most `replicas`. One of the two limits is above 0 unless `replicas` is 0. */
export interface RolloutLimits {
  readonly replicas: number;
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

/** A ReplicaSet and its next replica count. */
export interface Scaling {
  readonly object: JsonObject;
  readonly replicas: number;
}

/** The counts of a ReplicaSet that a plan needs. */
export function toRolloutSet(object: JsonObject): RolloutSet {
  return {
    object,
    replicas: countAt(object, "spec", "replicas") ?? 1,
    availableCount: countOf(object, "status", "availableReplicas"),
  };
}

/**
 * The limits of a Deployment in Pods. If both round to 0, `maxUnavailable` is 1; otherwise no rollout could progress.
 */
export function limitsOf(deployment: JsonObject): RolloutLimits {
  const replicas = countAt(deployment, "spec", "replicas") ?? 1;
  if (textOf(deployment, "spec", "strategy", "type") === "Recreate")
    return { replicas, maxSurge: 0, maxUnavailable: replicas };
  const rolling = ["spec", "strategy", "rollingUpdate"];
  const maxSurge = toCount(valueAt(deployment, ...rolling, "maxSurge"), replicas, Math.ceil);
  const unavailable = toCount(valueAt(deployment, ...rolling, "maxUnavailable"), replicas, Math.floor);
  const maxUnavailable = maxSurge === 0 && unavailable === 0 ? 1 : unavailable;
  return { replicas, maxSurge, maxUnavailable: Math.min(maxUnavailable, replicas) };
}

/** A number, or a percentage of `total`; 25% if absent, the API's default. */
export function toCount(value: Json | undefined, total: number, round: (value: number) => number): number {
  if (typeof value === "number") return value;
  const text = typeof value === "string" ? value : "25%";
  const percent = Number.parseInt(text, 10);
  return Number.isNaN(percent) ? 0 : round((percent * total) / 100);
}

/**
 * The next step of a rolling update. At most replicas + maxSurge Pods are requested, and at least replicas -
 * maxUnavailable stay available. Unavailable Pods of old ReplicaSets are removed first.
 */
export function planRollingUpdate(
  current: RolloutSet,
  old: readonly RolloutSet[],
  limits: RolloutLimits,
): readonly Scaling[] {
  const { replicas, maxSurge, maxUnavailable } = limits;
  const total = sumOf([current, ...old], "replicas");
  if (current.replicas > replicas) return [{ object: current.object, replicas }];
  if (current.replicas < replicas && total < replicas + maxSurge) {
    const grow = Math.min(replicas + maxSurge - total, replicas - current.replicas);
    return [{ object: current.object, replicas: current.replicas + grow }];
  }
  const minAvailable = replicas - maxUnavailable;
  const newUnavailable = Math.max(0, current.replicas - current.availableCount);
  const maxScaledDown = total - minAvailable - newUnavailable;
  if (maxScaledDown <= 0) return [];
  const planned = new Map(old.map((set) => [set, set.replicas]));
  const byAge = [...old].sort((a, b) => createdAtMs(a) - createdAtMs(b));
  let budget = maxScaledDown;
  for (const set of byAge) {
    const unhealthy = Math.min(budget, Math.max(0, set.replicas - set.availableCount));
    planned.set(set, set.replicas - unhealthy);
    budget -= unhealthy;
  }
  let spare = sumOf([current, ...old], "availableCount") - minAvailable;
  for (const set of byAge) {
    const left = planned.get(set) ?? 0;
    // A ReplicaSet's status may lag behind its spec; the budget is computed from the spec and does not.
    const healthy = Math.min(left, set.availableCount, Math.max(0, spare), budget);
    planned.set(set, left - healthy);
    spare -= healthy;
    budget -= healthy;
  }
  return changedOf(planned);
}

/** Recreate: first scales old ReplicaSets to 0, then, once none of their Pods is left, scales up the current one. */
export function planRecreate(
  current: RolloutSet | undefined,
  old: readonly RolloutSet[],
  options: { readonly replicas: number; readonly oldPodCount: number },
): readonly Scaling[] {
  const running = old.filter((set) => set.replicas > 0);
  if (running.length > 0) return running.map(({ object }) => ({ object, replicas: 0 }));
  if (options.oldPodCount > 0 || current === undefined || current.replicas === options.replicas) return [];
  return [{ object: current.object, replicas: options.replicas }];
}

/**
 * Scales a Deployment while several of its ReplicaSets have Pods. The difference is shared in proportion to their
 * sizes, so the rollout's risk stays the same. The remainder goes to the largest.
 */
export function planProportional(sets: readonly RolloutSet[], wantedTotal: number): readonly Scaling[] {
  const total = sumOf(sets, "replicas");
  if (total === 0 || total === wantedTotal) return [];
  const largestFirst = [...sets].sort(
    (a, b) => b.replicas - a.replicas || (uidOf(a.object) < uidOf(b.object) ? -1 : 1),
  );
  const planned = new Map(largestFirst.map((set) => [set, Math.floor((set.replicas * wantedTotal) / total)]));
  const [first] = largestFirst;
  const rest = wantedTotal - [...planned.values()].reduce((sum, each) => sum + each, 0);
  if (first !== undefined) planned.set(first, (planned.get(first) ?? 0) + rest);
  return changedOf(planned);
}

function changedOf(planned: ReadonlyMap<RolloutSet, number>): readonly Scaling[] {
  return [...planned]
    .filter(([set, replicas]) => replicas !== set.replicas)
    .map(([set, replicas]) => ({ object: set.object, replicas }));
}

function sumOf(sets: readonly RolloutSet[], part: "replicas" | "availableCount"): number {
  return sets.reduce((sum, set) => sum + set[part], 0);
}

function createdAtMs({ object }: RolloutSet): number {
  return timeAt(object, "metadata", "creationTimestamp") ?? 0;
}
