// SPDX-License-Identifier: Apache-2.0
// The status of a Deployment, as `kubectl rollout status` reads it.

import { type DraftObject, type JsonObject } from "../../../apiserver/json/json.ts";
import { countOf, textOf, valueAt } from "../../../apiserver/json/json-fields.ts";
import { formatTime } from "../../../apiserver/schema-decode/go-time.ts";
import { setCondition } from "../object-conditions.ts";
import { conditionOf, countAt, nameOf, timeAt, withoutEmpty } from "../object-parts.ts";
import { limitsOf } from "./rollout-plan.ts";

const timesOfUpdate = ["lastUpdateTime"];

/** The API's value for "no deadline": 2^31-1 seconds. */
const noDeadlineSeconds = 2_147_483_647;

/** Sums over the status of a Deployment's ReplicaSets. `updated` counts the current one only. */
export interface DeploymentCounts {
  readonly replicas: number;
  readonly updated: number;
  readonly ready: number;
  readonly available: number;
  /** Pods that are being deleted and still exist. */
  readonly terminating: number;
}

/** Sums the counts of all ReplicaSets. They may lag behind the Pods but are never ahead of them. */
export function countReplicas(current: JsonObject | undefined, sets: readonly JsonObject[]): DeploymentCounts {
  const sum = (field: string): number => sets.reduce((total, set) => total + countOf(set, "status", field), 0);
  return {
    replicas: sum("replicas"),
    updated: current === undefined ? 0 : countOf(current, "status", "replicas"),
    ready: sum("readyReplicas"),
    available: sum("availableReplicas"),
    terminating: sum("terminatingReplicas"),
  };
}

/** All Pods have the current template and are available, and no other Pods remain. */
export function isComplete(deployment: JsonObject, counts: DeploymentCounts): boolean {
  const wanted = countAt(deployment, "spec", "replicas") ?? 1;
  return counts.updated === wanted && counts.replicas === wanted && counts.available === wanted;
}

/** Writes counts and conditions into the draft. */
export function setDeploymentStatus(
  draft: DraftObject,
  current: JsonObject | undefined,
  counts: DeploymentCounts,
  nowMs: number,
): void {
  const before = countsOf(draft);
  const conditions = valueAt(draft, "status", "conditions");
  draft["status"] = {
    ...withoutEmpty({
      observedGeneration: countOf(draft, "metadata", "generation"),
      replicas: counts.replicas,
      updatedReplicas: counts.updated,
      readyReplicas: counts.ready,
      availableReplicas: counts.available,
      unavailableReplicas: Math.max(
        0,
        Math.max(counts.replicas, countAt(draft, "spec", "replicas") ?? 1) - counts.available,
      ),
      collisionCount: countOf(draft, "status", "collisionCount"),
    }),
    terminatingReplicas: counts.terminating,
    ...(conditions === undefined ? {} : { conditions }),
  };
  setAvailable(draft, counts, nowMs);
  setProgressing(draft, current, { before, counts, nowMs });
}

function setAvailable(draft: DraftObject, counts: DeploymentCounts, nowMs: number): void {
  const { replicas, maxUnavailable } = limitsOf(draft);
  const isEnough = counts.available >= replicas - maxUnavailable;
  setCondition(
    draft,
    {
      type: "Available",
      status: isEnough ? "True" : "False",
      reason: isEnough ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
      message: `Deployment ${isEnough ? "has" : "does not have"} minimum availability.`,
    },
    nowMs,
    { timesOfUpdate },
  );
}

interface Progress {
  readonly before: DeploymentCounts;
  readonly counts: DeploymentCounts;
  readonly nowMs: number;
}

function setProgressing(draft: DraftObject, current: JsonObject | undefined, progress: Progress): void {
  const { before, counts, nowMs } = progress;
  const deadline = countAt(draft, "spec", "progressDeadlineSeconds");
  if (deadline === undefined || deadline === noDeadlineSeconds) return;
  const found = conditionOf(draft, "Progressing");
  const reason = found === undefined ? "" : textOf(found, "reason");
  const subject = current === undefined ? `Deployment "${nameOf(draft)}"` : `ReplicaSet "${nameOf(current)}"`;
  const set = (status: "True" | "False" | "Unknown", newReason: string, message: string): void =>
    setCondition(draft, { type: "Progressing", status, reason: newReason, message }, nowMs, { timesOfUpdate });
  if (valueAt(draft, "spec", "paused") === true) {
    if (reason !== "DeploymentPaused") set("Unknown", "DeploymentPaused", "Deployment is paused");
    return;
  }
  if (reason === "DeploymentPaused") {
    set("Unknown", "DeploymentResumed", "Deployment is resumed");
    return;
  }
  // Once a rollout is complete, scaling and lost Pods do not count as its progress.
  const wasComplete = reason === "NewReplicaSetAvailable" && isCurrentNamed(found, current);
  if (isComplete(draft, counts)) {
    if (!wasComplete) set("True", "NewReplicaSetAvailable", `${subject} has successfully progressed.`);
  } else if (wasComplete) {
    return;
  } else if (isFurther(before, counts) || found === undefined || reason === "NewReplicaSetAvailable") {
    set("True", "ReplicaSetUpdated", `${subject} is progressing.`);
    touch(draft, nowMs);
  } else if (isTimedOut(found, deadline, nowMs)) {
    set("False", "ProgressDeadlineExceeded", `${subject} has timed out progressing.`);
  }
}

/** Time until the deadline of a stalled rollout; undefined if no deadline applies. */
export function deadlineInMs(deployment: JsonObject, nowMs: number): number | undefined {
  const found = conditionOf(deployment, "Progressing");
  const deadline = countAt(deployment, "spec", "progressDeadlineSeconds");
  if (found === undefined || deadline === undefined || deadline === noDeadlineSeconds) return undefined;
  if (textOf(found, "status") !== "True" || textOf(found, "reason") === "NewReplicaSetAvailable") return undefined;
  return Math.max(0, (timeAt(found, "lastUpdateTime") ?? 0) + deadline * 1000 - nowMs) + 1000;
}

function isTimedOut(condition: JsonObject, deadlineSeconds: number, nowMs: number): boolean {
  return nowMs > (timeAt(condition, "lastUpdateTime") ?? 0) + deadlineSeconds * 1000;
}

function isCurrentNamed(condition: JsonObject | undefined, current: JsonObject | undefined): boolean {
  if (condition === undefined || current === undefined) return false;
  return textOf(condition, "message").includes(`"${nameOf(current)}"`);
}

function isFurther(before: DeploymentCounts, after: DeploymentCounts): boolean {
  return (
    after.updated > before.updated ||
    after.ready > before.ready ||
    after.available > before.available ||
    after.replicas - after.updated < before.replicas - before.updated
  );
}

/**
 * Progress that leaves status, reason and message of the condition unchanged still updates its time, from which the
 * deadline counts.
 */
function touch(draft: DraftObject, nowMs: number): void {
  const condition = conditionOf(draft, "Progressing") as DraftObject | undefined;
  if (condition !== undefined) condition["lastUpdateTime"] = formatTime(nowMs);
}

function countsOf(deployment: JsonObject): DeploymentCounts {
  return {
    replicas: countOf(deployment, "status", "replicas"),
    updated: countOf(deployment, "status", "updatedReplicas"),
    ready: countOf(deployment, "status", "readyReplicas"),
    available: countOf(deployment, "status", "availableReplicas"),
    terminating: countOf(deployment, "status", "terminatingReplicas"),
  };
}
