// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { statefulSetKind } from "./stateful-set.ts";
import { sampleStatefulSet } from "./testing/sample-workloads.ts";
import { projectSample } from "./testing/sealer.ts";

interface Counts {
  readonly wanted?: number;
  readonly created?: number;
  readonly updated?: number;
  readonly ready?: number;
  readonly next?: string;
  readonly strategy?: object;
}

function statefulSet({ wanted = 3, created = 3, updated = 3, ready = 3, next = "db-1", strategy }: Counts): object {
  const counts = { replicas: created, updatedReplicas: updated, readyReplicas: ready };
  return {
    metadata: { name: "db", namespace: "shop", generation: 1 },
    spec: { replicas: wanted, updateStrategy: strategy },
    status: { observedGeneration: 1, ...counts, currentRevision: "db-1", updateRevision: next },
  };
}

describe("a StatefulSet's row", () => {
  test("has counts, service, strategy, images and selector", () => {
    const row = projectSample(statefulSetKind, sampleStatefulSet("x"));
    expect(Object.fromEntries(row.columns)).toMatchObject({
      replicas: 2,
      updated: 2,
      ready: 2,
      available: 2,
      service: "db",
      strategy: "RollingUpdate",
      selector: ["!old", "app=web", "tier in (back,front)"],
    });
    expect(row.status).toBe("healthy");
  });
});

describe("a StatefulSet's status", () => {
  const partition = { type: "RollingUpdate", rollingUpdate: { partition: 2 } };
  test.each<readonly [string, Counts, string, string]>([
    ["complete", {}, "healthy", ""],
    ["starting one after another", { created: 1, updated: 1, ready: 0 }, "progressing", "Creating"],
    ["rolling out", { updated: 1, ready: 2, next: "db-2" }, "progressing", "RollingOut"],
    ["rolling out its last replica", { ready: 2, next: "db-2" }, "progressing", "RollingOut"],
    ["rolled out up to its partition", { updated: 1, next: "db-2", strategy: partition }, "healthy", ""],
    ["behind its partition", { updated: 0, next: "db-2", strategy: partition }, "progressing", "RollingOut"],
    [
      "beyond its partition with one lost",
      { updated: 1, ready: 2, next: "db-2", strategy: partition },
      "degraded",
      "SomeUnavailable",
    ],
    ["waiting for deletes by hand", { updated: 0, next: "db-2", strategy: { type: "OnDelete" } }, "healthy", ""],
    ["with one lost", { ready: 2 }, "degraded", "SomeUnavailable"],
    ["with all lost", { ready: 0 }, "unhealthy", "NoneAvailable"],
    ["on the way to zero", { wanted: 0, created: 1 }, "progressing", "ScalingDown"],
  ])("%s", (_, counts, status, reason) => {
    const row = projectSample(statefulSetKind, statefulSet(counts));
    expect([row.status, row.reason]).toEqual([status, reason]);
  });

  test("[KI12] scaled to zero is suspended", () => {
    const row = projectSample(statefulSetKind, statefulSet({ wanted: 0, created: 0, updated: 0, ready: 0 }));
    expect([row.status, row.reason]).toEqual(["suspended", "ScaledToZero"]);
  });

  test("just created is progressing", () => {
    const row = projectSample(statefulSetKind, { metadata: { name: "db", generation: 1 }, status: { replicas: 0 } });
    expect([row.status, row.reason]).toEqual(["progressing", "GenerationBehind"]);
  });
});
