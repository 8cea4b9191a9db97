// SPDX-License-Identifier: Apache-2.0
// How many Pods each ReplicaSet of a Deployment should have next. Pure: from numbers to numbers.
import { type Json, type JsonObject, valueAt } from "../../../apiserver/json/json.ts";
import { countAt, countOf, textOf, timeAt, uidOf } from "../object-parts.ts";

/** One ReplicaSet in a rollout. */
export interface RolloutSet {
  readonly object: JsonObject;
  /** What it is asked for. */
  readonly replicas: number;
  readonly availableCount: number;
}

/** Numbers of Pods; `maxUnavailable` is at most `replicas`, and one of the two limits is above 0 unless `replicas` is 0. */
export interface RolloutLimits {
  readonly replicas: number;
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

/** A ReplicaSet and the number it should be asked for. */
export interface Scaling {
  readonly object: JsonObject;
  readonly replicas: number;
}

/** The numbers of a ReplicaSet that a plan looks at. */
export function toRolloutSet(object: JsonObject): RolloutSet {
  return {
    object,
    replicas: countAt(object, "spec", "replicas") ?? 1,
    availableCount: countOf(object, "status", "availableReplicas"),
  };
}

/** The limits of a Deployment as numbers of Pods. Where both round to nothing one Pod may be missing, or nothing would ever move. */
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

/** A number, or a percentage of `total`; a quarter where nothing is said, as the API's default is. */
export function toCount(value: Json | undefined, total: number, round: (value: number) => number): number {
  if (typeof value === "number") return value;
  const text = typeof value === "string" ? value : "25%";
  const percent = Number.parseInt(text, 10);
  return Number.isNaN(percent) ? 0 : round((percent * total) / 100);
}

/**
 * The next step of a rolling update: never more than replicas + maxSurge Pods asked for, never so many fewer that less than replicas - maxUnavailable are
 * available. Pods of old sets that are not available go first: they serve nobody.
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
    // The status of a set may lag behind its spec; what is asked for (the budget) never does.
    const healthy = Math.min(left, set.availableCount, Math.max(0, spare), budget);
    planned.set(set, left - healthy);
    spare -= healthy;
    budget -= healthy;
  }
  return changedOf(planned);
}

/** Recreate: first nothing of the old, then, when no Pod of it is left, all of the new. */
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
 * A Deployment that asks for another number while several of its sets have Pods: the difference is shared in proportion to what they have, so that the
 * risk of a rollout under way stays what it was. The rest of the division goes to the first, the largest.
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
