// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { projectRow } from "./project-row.ts";
import { startDeadlineMs } from "./start-status.ts";
import { statefulSetKind } from "./stateful-set-kind.ts";
import { noFacts, rowOf, statusAtAge } from "./testing/sample-rows.ts";
import { sampleStatefulSet } from "./testing/sample-workloads.ts";

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
    const row = rowOf(statefulSetKind, sampleStatefulSet("x"));
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
    const row = rowOf(statefulSetKind, statefulSet(counts));
    expect([row.status, row.reason]).toEqual([status, reason]);
  });

  test("[KI12] scaled to zero is suspended", () => {
    const row = rowOf(statefulSetKind, statefulSet({ wanted: 0, created: 0, updated: 0, ready: 0 }));
    expect([row.status, row.reason]).toEqual(["suspended", "ScaledToZero"]);
  });

  test("just created is progressing", () => {
    const row = rowOf(statefulSetKind, { metadata: { name: "db", generation: 1 }, status: { replicas: 0 } });
    expect([row.status, row.reason]).toEqual(["progressing", "GenerationBehind"]);
  });

  test.each<readonly [string, Counts, number | undefined, string, string]>([
    ["that starts", { wanted: 1, created: 1, updated: 1, ready: 0 }, 0, "progressing", "Starting"],
    ["all at once, not yet late", { ready: 0 }, startDeadlineMs - 1, "progressing", "Starting"],
    ["all at once, too late", { ready: 0 }, startDeadlineMs, "unhealthy", "NoneAvailable"],
    ["one after another", { created: 1, updated: 1, ready: 0 }, 0, "progressing", "Creating"],
    [
      "one after another, too late",
      { created: 1, updated: 1, ready: 0 },
      startDeadlineMs,
      "unhealthy",
      "NoneAvailable",
    ],
    [
      "whose only replica rolls out",
      { wanted: 1, created: 1, updated: 0, ready: 0, next: "db-2" },
      0,
      "progressing",
      "RollingOut",
    ],
    [
      "whose only replica does not come back",
      { wanted: 1, created: 1, ready: 0, next: "db-2" },
      startDeadlineMs,
      "unhealthy",
      "NoneAvailable",
    ],
    ["found without a ready Pod", { wanted: 1, created: 1, ready: 0 }, Infinity, "unhealthy", "NoneAvailable"],
    ["with one ready Pod, however old", { created: 2, updated: 2, ready: 1 }, Infinity, "progressing", "Creating"],
    [
      "scaled to zero, however old",
      { wanted: 0, created: 0, updated: 0, ready: 0 },
      Infinity,
      "suspended",
      "ScaledToZero",
    ],
    ["whose age nobody measured", { ready: 0 }, undefined, "unhealthy", "NoneAvailable"],
  ])("[KI20] %s", (_, counts, generationForMs, status, reason) => {
    expect(statusAtAge(statefulSetKind, statefulSet(counts), generationForMs)).toEqual([status, reason]);
  });

  test("[KI20] too late tells how many Pods there are", () => {
    const row = projectRow(statefulSetKind, statefulSet({ created: 1, ready: 0 }), {
      facts: noFacts,
      terminatingForMs: 0,
      generationForMs: startDeadlineMs,
    });
    expect(row.message).toBe("1 of 3 replicas are created");
  });
});
