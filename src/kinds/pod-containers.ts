// SPDX-License-Identifier: Apache-2.0
// A Pod's containers, read from spec and status together. Commands, arguments, environment and termination messages
// (which may be part of a log) are never read (KI2).
import { booleanOf, fieldOf, integerOf, isObject, listOf, textOf, timeOf } from "./fields.ts";

/** A container's state; `absent` before its node reports one. */
export type ContainerState = "absent" | "waiting" | "running" | "terminated";

/** One container of a Pod. */
export interface Container {
  readonly name: string;
  readonly image: string | undefined;
  readonly isReady: boolean;
  readonly restarts: number;
  readonly state: ContainerState;
  /** Why it waits or terminated. */
  readonly reason: string | undefined;
  /** The kubelet's message for a waiting container. */
  readonly waitingMessage: string | undefined;
  readonly exitCode: number | undefined;
  /** Milliseconds since 1970 by its node's clock; 0 if it is not running. */
  readonly startedAt: number;
  /** How it terminated the last time. */
  readonly lastReason: string | undefined;
  readonly lastExitCode: number | undefined;
}

/** The containers that the spec lists under `specField`, in that order, with their status from `statusField`. */
export function containersOf(
  pod: unknown,
  specField: "containers" | "initContainers",
  statusField: "containerStatuses" | "initContainerStatuses",
): readonly Container[] {
  const statuses = new Map<string, unknown>();
  for (const status of listOf(pod, "status", statusField)) statuses.set(textOf(status, "name") ?? "", status);
  return listOf(pod, "spec", specField).flatMap((spec) => {
    const name = textOf(spec, "name");
    return name === undefined ? [] : [toContainer(name, spec, statuses.get(name))];
  });
}

function toContainer(name: string, spec: unknown, status: unknown): Container {
  const state = stateOf(status);
  const last = fieldOf(status, "lastState", "terminated");
  return {
    name,
    image: textOf(spec, "image"),
    isReady: booleanOf(status, "ready") === true,
    restarts: Math.max(0, integerOf(status, "restartCount") ?? 0),
    state,
    reason: textOf(status, "state", state, "reason"),
    waitingMessage: textOf(status, "state", "waiting", "message"),
    exitCode: integerOf(status, "state", "terminated", "exitCode"),
    startedAt: timeOf(status, "state", "running", "startedAt"),
    lastReason: textOf(last, "reason"),
    lastExitCode: integerOf(last, "exitCode"),
  };
}

const reportedStates = ["running", "terminated", "waiting"] as const;

function stateOf(status: unknown): ContainerState {
  return reportedStates.find((each) => isObject(fieldOf(status, "state", each))) ?? "absent";
}

/** A container as an element of the row (KI7). */
export function containerFields(container: Container): Readonly<Record<string, unknown>> {
  return {
    name: container.name,
    image: container.image,
    ready: container.isReady,
    restarts: container.restarts,
    state: container.state === "absent" ? undefined : container.state,
    reason: container.reason,
    exitCode: container.exitCode,
    lastReason: container.lastReason,
    lastExitCode: container.lastExitCode,
  };
}
