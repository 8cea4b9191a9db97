// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { persistentVolumeClaimKind } from "./persistent-volume-claim-kind.ts";
import { rowOf } from "./testing/sample-rows.ts";

const metadata = { name: "data", namespace: "shop" };

describe("a PersistentVolumeClaim", () => {
  test("has phase, volume, class, capacity and modes as columns", () => {
    const row = rowOf(persistentVolumeClaimKind, {
      metadata,
      spec: {
        storageClassName: "fast",
        volumeName: "pv-1",
        volumeMode: "Filesystem",
        accessModes: ["ReadWriteOnce", "ReadOnlyMany"],
        resources: { requests: { storage: "8Gi" } },
      },
      status: { phase: "Bound", capacity: { storage: "10Gi" } },
    });
    expect(Object.fromEntries(row.columns)).toEqual({
      phase: "Bound",
      volume: "pv-1",
      storageClass: "fast",
      capacity: "10Gi",
      requested: "8Gi",
      accessModes: ["ReadOnlyMany", "ReadWriteOnce"],
      volumeMode: "Filesystem",
    });
  });

  const resizing = [{ type: "Resizing", status: "True", reason: "Growing" }];
  test.each<readonly [object, string, string]>([
    [{ phase: "Bound" }, "healthy", ""],
    [{ phase: "Bound", conditions: resizing }, "progressing", "Growing"],
    [{ phase: "Pending" }, "progressing", "Pending"],
    [{}, "progressing", "Pending"],
    [{ phase: "Lost" }, "unhealthy", "Lost"],
  ])("with status %j is %s", (status, expected, reason) => {
    const row = rowOf(persistentVolumeClaimKind, { metadata, status });
    expect([row.status, row.reason]).toEqual([expected, reason]);
  });
});
