// SPDX-License-Identifier: Apache-2.0
// What kubectl prints of a Pod: the word in STATUS, READY and RESTARTS. The containers' statuses decide in the order in
// which kube-apiserver reads them: the first init container that is not done, else the first container that waits or
// has ended.
import { booleanOf, fieldOf, integerOf, isObject, listOf, textOf, timeOf } from "./fields.ts";

/** A Pod as `kubectl get pods` prints it (KI22). */
export interface PrintedPod {
  /** `Running`, `CrashLoopBackOff`, `Init:0/2`, `Terminating`; "" for a Pod without a phase. */
  readonly status: string;
  readonly readyCount: number;
  readonly containerCount: number;
  /** Init containers count only until the last of them is done; those that keep running always count. */
  readonly restartCount: number;
  /** When a counted container last ended, in milliseconds since 1970 by its node's clock; 0 if none has restarted. */
  readonly lastRestartAt: number;
}

/** Restarts of some containers. */
interface Restarts {
  readonly count: number;
  readonly lastAt: number;
}

const noRestarts: Restarts = { count: 0, lastAt: 0 };

/** The init containers up to the first that is not done. */
interface InitProgress {
  /** `Init:CrashLoopBackOff`; undefined if all are done. */
  readonly blockedBy: string | undefined;
  readonly readyCount: number;
  readonly restarts: Restarts;
  /** Restarts of those that keep running beside the containers. */
  readonly sidecarRestarts: Restarts;
}

/** Reads spec and status of any object; a Pod without a status has empty values (KI3). */
export function printedPod(pod: unknown): PrintedPod {
  const initContainers = listOf(pod, "spec", "initContainers");
  const init = initProgress(pod, initContainers);
  const isWaitingForInit = init.blockedBy !== undefined && conditionStatus(pod, "Initialized") !== "True";
  const main = isWaitingForInit
    ? { status: init.blockedBy, readyCount: 0, restarts: init.restarts }
    : containerProgress(pod, init.blockedBy ?? phaseWord(pod), init.sidecarRestarts);
  return {
    status: deletionWord(pod) ?? main.status,
    readyCount: init.readyCount + main.readyCount,
    containerCount: listOf(pod, "spec", "containers").length + initContainers.filter(isSidecar).length,
    restartCount: main.restarts.count,
    lastRestartAt: main.restarts.count === 0 ? 0 : main.restarts.lastAt,
  };
}

function conditionStatus(pod: unknown, type: string): string | undefined {
  return textOf(
    listOf(pod, "status", "conditions").find((each) => textOf(each, "type") === type),
    "status",
  );
}

function phaseWord(pod: unknown): string {
  const isGated = listOf(pod, "status", "conditions").some(
    (each) => textOf(each, "type") === "PodScheduled" && textOf(each, "reason") === "SchedulingGated",
  );
  if (isGated) return "SchedulingGated";
  return textOf(pod, "status", "reason") || (textOf(pod, "status", "phase") ?? "");
}

/** A finished Pod keeps its word while it is deleted. */
function deletionWord(pod: unknown): string | undefined {
  if (textOf(pod, "metadata", "deletionTimestamp") === undefined) return undefined;
  if (textOf(pod, "status", "reason") === "NodeLost") return "Unknown";
  const phase = textOf(pod, "status", "phase");
  return phase === "Failed" || phase === "Succeeded" ? undefined : "Terminating";
}

function isSidecar(container: unknown): boolean {
  return textOf(container, "restartPolicy") === "Always";
}

/** The sum stays a safe integer for any object (CO23). */
function addRestarts(restarts: Restarts, status: unknown): Restarts {
  const count = restarts.count + Math.max(0, integerOf(status, "restartCount") ?? 0);
  return {
    count: Math.min(count, Number.MAX_SAFE_INTEGER),
    lastAt: Math.max(restarts.lastAt, timeOf(status, "lastState", "terminated", "finishedAt")),
  };
}

function initProgress(pod: unknown, initContainers: readonly unknown[]): InitProgress {
  const sidecars = new Set(initContainers.filter(isSidecar).map((each) => textOf(each, "name")));
  let readyCount = 0;
  let [restarts, sidecarRestarts] = [noRestarts, noRestarts];
  for (const [at, status] of listOf(pod, "status", "initContainerStatuses").entries()) {
    restarts = addRestarts(restarts, status);
    const isOfSidecar = sidecars.has(textOf(status, "name"));
    if (isOfSidecar) sidecarRestarts = addRestarts(sidecarRestarts, status);
    const ended = fieldOf(status, "state", "terminated");
    if (isObject(ended) && exitCodeOf(ended) === 0) continue;
    if (isOfSidecar && booleanOf(status, "started") === true) {
      if (booleanOf(status, "ready") === true) readyCount += 1;
      continue;
    }
    const blockedBy = `Init:${initWord(status, ended) ?? `${at}/${initContainers.length}`}`;
    return { blockedBy, readyCount, restarts, sidecarRestarts };
  }
  return { blockedBy: undefined, readyCount, restarts, sidecarRestarts };
}

/** Undefined for an init container that has simply not ended yet. */
function initWord(status: unknown, ended: unknown): string | undefined {
  if (isObject(ended)) return endWord(ended);
  const waitsFor = textOf(status, "state", "waiting", "reason") ?? "";
  return waitsFor === "" || waitsFor === "PodInitializing" ? undefined : waitsFor;
}

function exitCodeOf(ended: unknown): number {
  return integerOf(ended, "exitCode") ?? 0;
}

/** Why a container ended, by reason, signal or exit code. */
function endWord(ended: unknown): string {
  const reason = textOf(ended, "reason") ?? "";
  if (reason !== "") return reason;
  const signal = integerOf(ended, "signal") ?? 0;
  return signal === 0 ? `ExitCode:${exitCodeOf(ended)}` : `Signal:${signal}`;
}

function containerProgress(
  pod: unknown,
  startWord: string,
  startRestarts: Restarts,
): { readonly status: string; readonly readyCount: number; readonly restarts: Restarts } {
  let status = startWord;
  let failure: string | undefined;
  let readyCount = 0;
  let restarts = startRestarts;
  // From the last to the first: the word of the first container that waits or has ended is kept.
  for (const each of listOf(pod, "status", "containerStatuses").toReversed()) {
    restarts = addRestarts(restarts, each);
    const waitsFor = textOf(each, "state", "waiting", "reason") ?? "";
    const ended = fieldOf(each, "state", "terminated");
    if (waitsFor !== "") status = waitsFor;
    else if (isObject(ended)) {
      status = endWord(ended);
      if (exitCodeOf(ended) !== 0) failure = status;
    } else if (booleanOf(each, "ready") === true && isObject(fieldOf(each, "state", "running"))) readyCount += 1;
  }
  // A Pod is not completed while other containers run or have failed.
  if (status !== "Completed") return { status, readyCount, restarts };
  const isReady = listOf(pod, "status", "conditions").some(
    (each) => textOf(each, "type") === "Ready" && textOf(each, "status") === "True",
  );
  if (readyCount > 0 && isReady) status = "Running";
  else if (failure !== undefined) status = failure;
  else if (readyCount > 0) status = "NotReady";
  return { status, readyCount, restarts };
}
