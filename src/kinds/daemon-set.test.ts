// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { daemonSetKind } from "./daemon-set.ts";
import { sampleDaemonSet } from "./testing/sample-workloads.ts";
import { projectSample } from "./testing/sealer.ts";

interface Counts {
  readonly wanted?: number;
  readonly scheduled?: number;
  readonly updated?: number;
  readonly available?: number;
  readonly strategy?: string;
}

function daemonSet({ wanted = 3, scheduled = 3, updated = 3, available = 3, strategy }: Counts): object {
  return {
    metadata: { name: "agent", namespace: "shop", generation: 1 },
    spec: { updateStrategy: { type: strategy } },
    status: {
      observedGeneration: 1,
      desiredNumberScheduled: wanted,
      currentNumberScheduled: scheduled,
      updatedNumberScheduled: updated,
      numberAvailable: available,
    },
  };
}

describe("a DaemonSet", () => {
  test("has its counts as columns", () => {
    const row = projectSample(daemonSetKind, sampleDaemonSet("x"));
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
    ["with all lost", { available: 0 }, "unhealthy", "NoneAvailable"],
  ])("%s has its status", (_, counts, status, reason) => {
    const row = projectSample(daemonSetKind, daemonSet(counts));
    expect([row.status, row.reason]).toEqual([status, reason]);
  });
});
