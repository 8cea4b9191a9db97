// SPDX-License-Identifier: Apache-2.0
// That the values are those of kube-apiserver in any state is proved in test/contract/row-tables.
import { expect, test } from "vitest";
import { printedPod } from "./pod-print.ts";

const running = { running: { startedAt: "2026-01-05T10:00:00Z" } };
const crashing = { waiting: { reason: "CrashLoopBackOff" } };
const ended = (exitCode: number, more: object = {}): object => ({ terminated: { exitCode, ...more } });

interface Parts {
  readonly spec?: object;
  readonly status?: object;
  readonly isDeleted?: boolean;
}

function pod({ spec, status, isDeleted }: Parts): object {
  return {
    metadata: { name: "web", ...(isDeleted === true ? { deletionTimestamp: "2026-01-05T11:00:00Z" } : {}) },
    spec: { containers: [{ name: "web" }, { name: "log" }], ...spec },
    status: { phase: "Running", ...status },
  };
}

function withStates(...states: readonly object[]): object {
  return pod({ status: { containerStatuses: states.map((state) => ({ ready: true, state })) } });
}

function initializing(state: object, more: object = {}): object {
  const spec = { initContainers: [{ name: "migrate" }, { name: "warm" }] };
  return pod({ spec, status: { phase: "Pending", initContainerStatuses: [{ name: "migrate", state, ...more }] } });
}

test.each<readonly [string, object, string]>([
  ["without anything", {}, ""],
  ["that runs", withStates(running, running), "Running"],
  ["with a crashing container", withStates(running, crashing), "CrashLoopBackOff"],
  ["whose first container decides", withStates(crashing, ended(1, { reason: "Error" })), "CrashLoopBackOff"],
  ["that ended without a reason", withStates(ended(3)), "ExitCode:3"],
  ["that was killed", withStates(ended(137, { signal: 9 })), "Signal:9"],
  ["that completed", withStates(ended(0, { reason: "Completed" })), "Completed"],
  ["with one container left", withStates(ended(0, { reason: "Completed" }), running), "NotReady"],
  ["whose init container runs", initializing(running), "Init:0/2"],
  ["whose init container waits", initializing({ waiting: { reason: "PodInitializing" } }), "Init:0/2"],
  ["whose init container crashes", initializing(crashing), "Init:CrashLoopBackOff"],
  ["whose init container failed", initializing(ended(1, { reason: "Error" })), "Init:Error"],
  ["that was evicted", pod({ status: { phase: "Failed", reason: "Evicted" } }), "Evicted"],
  ["that is deleted", pod({ isDeleted: true }), "Terminating"],
  ["that is deleted after it failed", pod({ isDeleted: true, status: { phase: "Failed" } }), "Failed"],
  ["on a lost node", pod({ isDeleted: true, status: { reason: "NodeLost" } }), "Unknown"],
  [
    "held back from scheduling",
    pod({ status: { phase: "Pending", conditions: [{ type: "PodScheduled", reason: "SchedulingGated" }] } }),
    "SchedulingGated",
  ],
])("[KI22] a Pod %s has kubectl's word", (_, object, word) => {
  expect(printedPod(object).status).toBe(word);
});

test("[KI22] restarts of init containers count until they are done", () => {
  const restarted = { restartCount: 3, lastState: ended(1, { finishedAt: "2026-01-05T10:00:00Z" }) };
  const lastRestartAt = Date.parse("2026-01-05T10:00:00Z");
  expect(printedPod(initializing(crashing, restarted))).toMatchObject({ restartCount: 3, lastRestartAt });
  expect(printedPod(initializing(ended(0), restarted))).toMatchObject({ restartCount: 0, lastRestartAt: 0 });
});
