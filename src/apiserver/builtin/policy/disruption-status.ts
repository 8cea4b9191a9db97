// SPDX-License-Identifier: Apache-2.0
// The status of a PodDisruptionBudget, as written by evictions and by the disruption controller.

import { type DraftObject, ensureObject, type JsonObject, setKey } from "../../json/json.ts";
import { countOf, listAt, objectsAt, textAt, textOf } from "../../json/json-fields.ts";
import { formatTime } from "../../schema-decode/go-time.ts";
import { ApiError, forbidden, type StatusCause } from "../../status/api-error.ts";
import { objectOf } from "../checks/field-checks.ts";

/** kube-apiserver's limit for evictions that the controller has not processed yet. */
const maxDisruptedCount = 2_000;

const conditionType = "DisruptionAllowed";
const refusalMessage = "Cannot evict pod as it would violate the pod's disruption budget.";

/**
 * Takes one disruption from the budget and records the Pod in `disruptedPods`, so that the controller no longer counts
 * it as healthy. Throws kube-apiserver's error if the budget allows no disruption.
 */
export function takeDisruption(budget: DraftObject, podName: string, nowMs: number): void {
  const name = textOf(budget, "metadata", "name");
  const status = ensureObject(budget, "status");
  const allowedCount = countOf(status, "disruptionsAllowed");
  if (countOf(status, "observedGeneration") < countOf(budget, "metadata", "generation")) throw stillProcessed(name);
  if (allowedCount < 0) throw forbiddenBudget(name, "pdb disruptions allowed is negative");
  if (Object.keys(objectOf(status, "disruptedPods")).length > maxDisruptedCount)
    throw forbiddenBudget(name, "DisruptedPods map too big - too many evictions not confirmed by PDB controller");
  if (allowedCount === 0) throw tooManyRequests(noDisruptionSentence(name, status));
  status["disruptionsAllowed"] = allowedCount - 1;
  if (allowedCount === 1) setDisruptionAllowed(status, nowMs);
  setKey(ensureObject(status, "disruptedPods"), podName, formatTime(nowMs));
}

/**
 * The error of an eviction that may be retried soon: the budget's status is older than its spec, or the Pod has
 * changed.
 */
export function stillProcessed(name: string): ApiError {
  // kube-apiserver's retry delay: ten seconds.
  return tooManyRequests(`The disruption budget ${name} is still being processed by the server.`, 10);
}

/** Sets the `DisruptionAllowed` condition from `disruptionsAllowed`. */
export function setDisruptionAllowed(status: DraftObject, nowMs: number): void {
  const isAllowed = countOf(status, "disruptionsAllowed") > 0;
  const reason = isAllowed ? "SufficientPods" : "InsufficientPods";
  setCondition(status, { status: isAllowed ? "True" : "False", reason, message: "" }, nowMs);
}

/** Allows no disruption, because the status cannot be computed. */
export function setSyncFailed(status: DraftObject, message: string, nowMs: number): void {
  status["disruptionsAllowed"] = 0;
  setCondition(status, { status: "False", reason: "SyncFailed", message }, nowMs);
}

function setCondition(status: DraftObject, condition: Readonly<Record<string, string>>, nowMs: number): void {
  const conditions = listAt(status, "conditions") ?? [];
  const at = conditions.findIndex((each) => textAt(each, "type") === conditionType);
  const old = conditions[at];
  const isSame = old !== undefined && textAt(old, "status") === condition["status"];
  const set = {
    type: conditionType,
    ...condition,
    observedGeneration: countOf(status, "observedGeneration"),
    lastTransitionTime: (isSame ? textAt(old, "lastTransitionTime") : undefined) ?? formatTime(nowMs),
  };
  if (at === -1) conditions.push(set);
  else conditions[at] = set;
  status["conditions"] = conditions;
}

/** The reason why no disruption is allowed. A failed sync comes first: the counts are not valid then. */
function noDisruptionSentence(name: string, status: JsonObject): string {
  const condition = objectsAt(status, "conditions").find((each) => textOf(each, "type") === conditionType);
  const reason = textOf(condition ?? {}, "reason");
  const message = textOf(condition ?? {}, "message");
  const isTold = textOf(condition ?? {}, "status") === "False" && message !== "";
  const [desiredCount, healthyCount] = [countOf(status, "desiredHealthy"), countOf(status, "currentHealthy")];
  const none = `The disruption budget ${name} does not allow evicting pods currently`;
  if (isTold && reason === "SyncFailed") return `${none} because it failed sync: ${message}`;
  if (healthyCount <= desiredCount)
    return `The disruption budget ${name} needs ${desiredCount} healthy pods and has ${healthyCount} currently`;
  return isTold ? `${none} (${reason}): ${message}` : none;
}

function tooManyRequests(message: string, retryAfterSeconds?: number): ApiError {
  const causes: readonly StatusCause[] = [{ reason: "DisruptionBudget", message }];
  return new ApiError(429, "TooManyRequests", refusalMessage, {
    details: { causes, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) },
  });
}

function forbiddenBudget(name: string, because: string): ApiError {
  return forbidden({ group: "policy", resource: "poddisruptionbudget" }, name, because);
}
