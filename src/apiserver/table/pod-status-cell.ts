// SPDX-License-Identifier: Apache-2.0
// The status of a Pod as one word, from its phase, conditions and container states.

import { type JsonObject } from "../json/json.ts";
import { objectAt, objectsAt, textAt, textOf } from "../json/json-fields.ts";
import { parseTimeMs } from "./age.ts";
import { booleanCell, countCell, isBeingDeleted } from "./cells.ts";

/**
 * The values of the status column and its neighbours. `lastRestartAtMs` is undefined if no container has terminated
 * before.
 */
export interface PodSummary {
  readonly reason: string;
  readonly readyCount: number;
  readonly containerCount: number;
  readonly restartCount: number;
  readonly lastRestartAtMs: number | undefined;
}

/** Restarts of some containers. */
interface Restarts {
  readonly count: number;
  readonly lastAtMs: number | undefined;
}

/** The progress of the init containers. `blockedBy` is the reason why they are not complete. */
interface InitSummary {
  readonly blockedBy: string | undefined;
  readonly readyCount: number;
  readonly restarts: Restarts;
  /** Restarts of sidecars. */
  readonly sidecarRestarts: Restarts;
}

const noRestarts: Restarts = { count: 0, lastAtMs: undefined };

/** The reason of a Pod on a lost node. */
const nodeLost = "NodeLost";

export function summarizePod(pod: JsonObject): PodSummary {
  const init = summarizeInit(pod);
  const isInitialized = conditionStatus(pod, "Initialized") === "True";
  const main =
    init.blockedBy === undefined || isInitialized
      ? summarizeContainers(pod, init.blockedBy ?? phaseReason(pod), init.sidecarRestarts)
      : { reason: init.blockedBy, readyCount: 0, restarts: init.restarts };
  const sidecarCount = objectsAt(pod, "spec", "initContainers").filter(isSidecar).length;
  return {
    reason: deletionReason(pod) ?? main.reason,
    readyCount: init.readyCount + main.readyCount,
    containerCount: objectsAt(pod, "spec", "containers").length + sidecarCount,
    restartCount: main.restarts.count,
    lastRestartAtMs: main.restarts.lastAtMs,
  };
}

/** The number of readiness gates that are True, and of all. */
export function readinessGates(pod: JsonObject): string {
  const gates = objectsAt(pod, "spec", "readinessGates");
  if (gates.length === 0) return "<none>";
  const open = gates.filter((gate) => conditionStatus(pod, textOf(gate, "conditionType")) === "True");
  return `${open.length}/${gates.length}`;
}

function conditionStatus(pod: JsonObject, type: string): string | undefined {
  const found = objectsAt(pod, "status", "conditions").find((condition) => textOf(condition, "type") === type);
  return found === undefined ? undefined : textOf(found, "status");
}

function phaseReason(pod: JsonObject): string {
  const isGated = objectsAt(pod, "status", "conditions").some(
    (condition) => textAt(condition, "type") === "PodScheduled" && textAt(condition, "reason") === "SchedulingGated",
  );
  if (isGated) return "SchedulingGated";
  const reason = textOf(pod, "status", "reason");
  return reason === "" ? textOf(pod, "status", "phase") : reason;
}

function deletionReason(pod: JsonObject): string | undefined {
  if (!isBeingDeleted(pod)) return undefined;
  if (textAt(pod, "status", "reason") === nodeLost) return "Unknown";
  const phase = textAt(pod, "status", "phase");
  return phase === "Failed" || phase === "Succeeded" ? undefined : "Terminating";
}

function isSidecar(container: JsonObject): boolean {
  return textAt(container, "restartPolicy") === "Always";
}

function addRestarts(restarts: Restarts, status: JsonObject): Restarts {
  const finishedAt = textAt(status, "lastState", "terminated", "finishedAt");
  const finishedAtMs = finishedAt === undefined ? undefined : parseTimeMs(finishedAt);
  const isLater = finishedAtMs !== undefined && (restarts.lastAtMs === undefined || finishedAtMs > restarts.lastAtMs);
  return {
    count: restarts.count + countCell(status, "restartCount"),
    lastAtMs: isLater ? finishedAtMs : restarts.lastAtMs,
  };
}

function summarizeInit(pod: JsonObject): InitSummary {
  const containers = objectsAt(pod, "spec", "initContainers");
  const sidecars = new Set(containers.filter(isSidecar).map((container) => textOf(container, "name")));
  let readyCount = 0;
  let restarts = noRestarts;
  let sidecarRestarts = noRestarts;
  for (const [index, status] of objectsAt(pod, "status", "initContainerStatuses").entries()) {
    restarts = addRestarts(restarts, status);
    const isOfSidecar = sidecars.has(textOf(status, "name"));
    if (isOfSidecar) sidecarRestarts = addRestarts(sidecarRestarts, status);
    const terminated = objectAt(status, "state", "terminated");
    if (terminated !== undefined && countCell(terminated, "exitCode") === 0) continue;
    if (isOfSidecar && booleanCell(status, "started")) {
      if (booleanCell(status, "ready")) readyCount += 1;
      continue;
    }
    const blockedBy = `Init:${initReason(status, terminated) ?? `${index}/${containers.length}`}`;
    return { blockedBy, readyCount, restarts, sidecarRestarts };
  }
  return { blockedBy: undefined, readyCount, restarts, sidecarRestarts };
}

function initReason(status: JsonObject, terminated: JsonObject | undefined): string | undefined {
  if (terminated !== undefined) return terminationReason(terminated);
  const waiting = textOf(status, "state", "waiting", "reason");
  return waiting === "" || waiting === "PodInitializing" ? undefined : waiting;
}

function terminationReason(terminated: JsonObject): string {
  const reason = textOf(terminated, "reason");
  if (reason !== "") return reason;
  const signal = countCell(terminated, "signal");
  return signal === 0 ? `ExitCode:${countCell(terminated, "exitCode")}` : `Signal:${signal}`;
}

/**
 * The first container that waits or has terminated determines the reason. `Completed` is replaced if other containers
 * still run or failed.
 */
function summarizeContainers(
  pod: JsonObject,
  startReason: string,
  startRestarts: Restarts,
): { readonly reason: string; readonly readyCount: number; readonly restarts: Restarts } {
  let reason = startReason;
  let failure = "";
  let readyCount = 0;
  let restarts = startRestarts;
  for (const status of objectsAt(pod, "status", "containerStatuses").toReversed()) {
    restarts = addRestarts(restarts, status);
    const waiting = textOf(status, "state", "waiting", "reason");
    const terminated = objectAt(status, "state", "terminated");
    if (waiting !== "") reason = waiting;
    else if (terminated !== undefined) {
      reason = terminationReason(terminated);
      if (countCell(terminated, "exitCode") !== 0) failure = reason;
    } else if (booleanCell(status, "ready") && objectAt(status, "state", "running") !== undefined) readyCount += 1;
  }
  if (reason === "Completed") {
    const isReady = objectsAt(pod, "status", "conditions").some(
      (condition) => textAt(condition, "type") === "Ready" && textAt(condition, "status") === "True",
    );
    if (readyCount > 0 && isReady) reason = "Running";
    else if (failure !== "") reason = failure;
    else if (readyCount > 0) reason = "NotReady";
  }
  return { reason, readyCount, restarts };
}
