// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { daemonSetKind } from "./daemon-set-kind.ts";
import { startDeadlineMs } from "./start-status.ts";
import { rowOf, statusAtAge } from "./testing/sample-rows.ts";
import { sampleDaemonSet } from "./testing/sample-workloads.ts";

interface Counts {
  readonly wanted?: number;
  readonly scheduled?: number;
  readonly updated?: number;
  readonly ready?: number;
  readonly available?: number;
  readonly strategy?: string;
}

function daemonSet(counts: Counts): object {
  const { wanted = 3, scheduled = 3, updated = 3, available = 3, ready = available, strategy } = counts;
  return {
    metadata: { name: "agent", namespace: "shop", generation: 1 },
    spec: { updateStrategy: { type: strategy } },
    status: {
      observedGeneration: 1,
      desiredNumberScheduled: wanted,
      currentNumberScheduled: scheduled,
      updatedNumberScheduled: updated,
      numberReady: ready,
      numberAvailable: available,
    },
  };
}

describe("a DaemonSet", () => {
  test("has its counts as columns", () => {
    const row = rowOf(daemonSetKind, sampleDaemonSet("x"));
    expect(row.columns.get("nodeSelector")).toEqual(["disk=ssd", "kubernetes.io/os=linux"]);
    const counts = { desired: 3, scheduled: 3, updated: 3, ready: 3, available: 3, misscheduled: 0 };
    expect(Object.fromEntries(row.columns)).toMatchObject({ ...counts, strategy: "RollingUpdate" });
  });

  test.each<readonly [string, Counts, string, string]>([
    ["on all nodes", {}, "healthy", ""],
    ["that fits no node", { wanted: 0, scheduled: 0, updated: 0, available: 0 }, "healthy", "NoNodes"],
    ["not yet on all nodes", { scheduled: 2 }, "progressing", "Creating"],
    ["rolling out", { updated: 1 }, "progressing", "RollingOut"],
    ["waiting for deletes by hand", { updated: 1, strategy: "OnDelete" }, "healthy", ""],
    ["with one lost", { available: 2 }, "degraded", "SomeUnavailable"],
    ["with Pods within minReadySeconds", { available: 0, ready: 3 }, "progressing", "MinReadySeconds"],
    ["with all lost", { available: 0 }, "unhealthy", "NoneAvailable"],
  ])("%s has its status", (_, counts, status, reason) => {
    const row = rowOf(daemonSetKind, daemonSet(counts));
    expect([row.status, row.reason]).toEqual([status, reason]);
  });

  test.each<readonly [string, Counts, number | undefined, string, string]>([
    ["that starts", { available: 0 }, 0, "progressing", "Starting"],
    ["that starts and has not all its Pods", { scheduled: 1, available: 0 }, 0, "progressing", "Creating"],
    ["that has not started in time", { available: 0 }, startDeadlineMs, "unhealthy", "NoneAvailable"],
    ["without a ready Pod that was found so", { scheduled: 1, available: 0 }, Infinity, "unhealthy", "NoneAvailable"],
    ["that fits no node, however old", { wanted: 0, scheduled: 0, available: 0 }, Infinity, "healthy", "NoNodes"],
    ["with one ready Pod, however old", { available: 1 }, Infinity, "degraded", "SomeUnavailable"],
    [
      "that waits for minReadySeconds, however old",
      { ready: 3, available: 0 },
      Infinity,
      "progressing",
      "MinReadySeconds",
    ],
    ["whose age nobody measured", { available: 0 }, undefined, "unhealthy", "NoneAvailable"],
  ])("[KI20] %s has its status", (_, counts, generationForMs, status, reason) => {
    expect(statusAtAge(daemonSetKind, daemonSet(counts), generationForMs)).toEqual([status, reason]);
  });
});
