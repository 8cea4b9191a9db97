// SPDX-License-Identifier: Apache-2.0
// How a Pod that is not finished fares. No clock is asked: a Pod that never was ready is on its way, however long that takes.
import { createStatusReport, type StatusReport } from "../model/status.ts";
import { conditionsOf, findCondition, statusFrom } from "./conditions.ts";
import { listOf, textOf, timeOf } from "./fields.ts";
import type { Container } from "./pod-containers.ts";

/** Reasons to wait that do not pass by themselves, and whether the node's message may travel: that of a runtime may quote the command (KI2). */
const badWaits: ReadonlyMap<string, { readonly hasMessage: boolean }> = new Map([
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

/** The Pod's status while it is not finished. `containers` are all of it, init containers first. */
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

/** What keeps a container from its work; undefined when nothing does, or nothing yet. */
function faultOf(container: Container): StatusReport | undefined {
  const { name, state, reason, exitCode } = container;
  if (state === "terminated" && exitCode !== undefined && exitCode !== 0)
    return createStatusReport("unhealthy", reason ?? "Error", `container ${name} ended with exit code ${exitCode}`);
  const wait = state === "waiting" && reason !== undefined ? badWaits.get(reason) : undefined;
  if (wait === undefined) return undefined;
  const told = wait.hasMessage ? container.waitingMessage : undefined;
  const message = [`container ${name}`, told, lastEndOf(container)].filter((each) => each !== undefined).join(": ");
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
 * When the Ready condition last changed. Later than the start of every running container, it was true in between: until a
 * Pod is ready for the first time the condition keeps the time at which its node first saw the Pod. Both times are the node's.
 */
function readinessChangedAt(pod: unknown): number {
  const ready = listOf(pod, "status", "conditions").findLast((each) => textOf(each, "type") === "Ready");
  return timeOf(ready, "lastTransitionTime");
}
