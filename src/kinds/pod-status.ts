// SPDX-License-Identifier: Apache-2.0
// The status of a Pod that has not finished. It reads no clock: a Pod that was never ready is `progressing`, however
// long that takes.
import { createStatusReport, type StatusReport } from "../model/status.ts";
import { conditionsOf, findCondition, statusFrom } from "./conditions.ts";
import { listOf, textOf, timeOf } from "./fields.ts";
import type { Container } from "./pod-containers.ts";

/**
 * Waiting reasons that do not resolve by themselves, and whether the kubelet's message is collected: a container
 * runtime's message may quote the command (KI2).
 */
const failingWaitReasons: ReadonlyMap<string, { readonly hasMessage: boolean }> = new Map([
  ["CrashLoopBackOff", { hasMessage: true }],
  ["ImagePullBackOff", { hasMessage: true }],
  ["ErrImagePull", { hasMessage: true }],
  ["ErrImageNeverPull", { hasMessage: true }],
  ["InvalidImageName", { hasMessage: true }],
  ["ImageInspectError", { hasMessage: true }],
  ["RegistryUnavailable", { hasMessage: true }],
  ["SignatureValidationFailed", { hasMessage: true }],
  ["CreateContainerConfigError", { hasMessage: true }],
  ["CreateContainerError", { hasMessage: false }],
  ["RunContainerError", { hasMessage: false }],
  ["PreStartHookError", { hasMessage: false }],
  ["PostStartHookError", { hasMessage: false }],
]);

/** The Pod's status before it finishes. `containers` are all its containers, init containers first. */
export function runningPodStatus(pod: unknown, containers: readonly Container[]): StatusReport {
  for (const container of containers) {
    const fault = faultOf(container);
    if (fault !== undefined) return fault;
  }
  const conditions = conditionsOf(pod);
  const scheduled = findCondition(conditions, "PodScheduled");
  if (scheduled?.status === "False" && scheduled.reason === "SchedulingGated")
    return statusFrom("suspended", scheduled);
  if (scheduled?.status === "False" && scheduled.reason === "Unschedulable") return statusFrom("unhealthy", scheduled);
  const phase = textOf(pod, "status", "phase") ?? "Pending";
  if (phase === "Pending") return createStatusReport("progressing", waitOf(containers) ?? "Pending");
  if (phase !== "Running") return createStatusReport("unknown", phase, textOf(pod, "status", "message"));
  const ready = findCondition(conditions, "Ready");
  if (ready?.status === "True") return createStatusReport("healthy");
  const lastStartAt = containers.reduce((latest, { startedAt }) => Math.max(latest, startedAt), 0);
  const wasReady = readinessChangedAt(pod) > lastStartAt;
  return createStatusReport(
    wasReady ? "degraded" : "progressing",
    ready?.reason || (wasReady ? "NotReady" : "Starting"),
    ready?.message,
  );
}

/** Why a container cannot run; undefined if it can, or may still start. */
function faultOf(container: Container): StatusReport | undefined {
  const { name, state, reason, exitCode } = container;
  if (state === "terminated" && exitCode !== undefined && exitCode !== 0)
    return createStatusReport("unhealthy", reason ?? "Error", `container ${name} ended with exit code ${exitCode}`);
  const wait = state === "waiting" && reason !== undefined ? failingWaitReasons.get(reason) : undefined;
  if (wait === undefined) return undefined;
  const waitingMessage = wait.hasMessage ? container.waitingMessage : undefined;
  const message = [`container ${name}`, waitingMessage, lastEndOf(container)]
    .filter((each) => each !== undefined)
    .join(": ");
  return createStatusReport("unhealthy", reason, message);
}

function lastEndOf({ lastReason, lastExitCode }: Container): string | undefined {
  if (lastReason === undefined && lastExitCode === undefined) return undefined;
  return `it last ended with ${lastReason ?? "an error"}${lastExitCode === undefined ? "" : `, exit code ${lastExitCode}`}`;
}

function waitOf(containers: readonly Container[]): string | undefined {
  return containers.find(({ state, reason }) => state === "waiting" && reason !== undefined)?.reason;
}

/**
 * When the Ready condition last changed. If that is later than the start of every running container, the Pod was ready
 * in between: until a Pod is first ready the condition keeps the time at which its node first saw the Pod. Both times
 * are the node's.
 */
function readinessChangedAt(pod: unknown): number {
  const ready = listOf(pod, "status", "conditions").findLast((each) => textOf(each, "type") === "Ready");
  return timeOf(ready, "lastTransitionTime");
}
