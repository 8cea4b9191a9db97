// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { replicaSetKind } from "./replica-set-kind.ts";
import { rowOf } from "./testing/sample-rows.ts";
import { sampleReplicaSet } from "./testing/sample-workloads.ts";

interface Counts {
  readonly wanted?: number;
  readonly created?: number;
  readonly available?: number;
  readonly conditions?: readonly object[];
  readonly owned?: boolean;
}

function replicaSet({ wanted = 3, created = 3, available = 3, conditions, owned = false }: Counts): object {
  const ownerReferences = [{ apiVersion: "apps/v1", kind: "Deployment", name: "web", controller: owned }];
  return {
    metadata: { name: "web-1", namespace: "shop", generation: 1, ownerReferences },
    spec: { replicas: wanted },
    status: { observedGeneration: 1, replicas: created, availableReplicas: available, conditions },
  };
}

describe("a ReplicaSet", () => {
  test("has its counts as columns and its Deployment as owner", () => {
    const row = rowOf(replicaSetKind, sampleReplicaSet("x"));
    expect(Object.fromEntries(row.columns)).toMatchObject({ replicas: 3, current: 3, ready: 3, available: 3 });
    expect(rowOf(replicaSetKind, replicaSet({ owned: true })).owner).toMatchObject({ kind: "Deployment" });
  });

  const refused = [{ type: "ReplicaFailure", status: "True", reason: "FailedCreate" }];
  test.each<readonly [string, Counts, string, string]>([
    ["complete", {}, "healthy", ""],
    ["that makes its Pods", { created: 1, available: 0 }, "progressing", "Creating"],
    ["that a Deployment rolls out", { available: 0, owned: true }, "progressing", "RollingOut"],
    ["by itself with one lost", { available: 2 }, "degraded", "SomeUnavailable"],
    ["by itself with all lost", { available: 0 }, "unhealthy", "NoneAvailable"],
    ["refused Pods", { created: 0, available: 0, conditions: refused, owned: true }, "unhealthy", "FailedCreate"],
  ])("%s has its status", (_, counts, status, reason) => {
    const row = rowOf(replicaSetKind, replicaSet(counts));
    expect([row.status, row.reason]).toEqual([status, reason]);
  });

  test("[KI12] scaled to zero is suspended, as the old ones of a Deployment are", () => {
    const row = rowOf(replicaSetKind, replicaSet({ wanted: 0, created: 0, available: 0, owned: true }));
    expect(row.status).toBe("suspended");
  });
});
