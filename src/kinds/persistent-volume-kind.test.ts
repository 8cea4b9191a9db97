// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { persistentVolumeKind } from "./persistent-volume-kind.ts";
import { rowOf } from "./testing/sample-rows.ts";

describe("a PersistentVolume", () => {
  test("[KI2] has capacity, class and claim as columns, and nothing of where it is", () => {
    const row = rowOf(persistentVolumeKind, {
      metadata: { name: "pv-1" },
      spec: {
        capacity: { storage: "8Gi" },
        storageClassName: "fast",
        persistentVolumeReclaimPolicy: "Retain",
        accessModes: ["ReadWriteOnce"],
        volumeMode: "Block",
        claimRef: { namespace: "shop", name: "data" },
        nfs: { server: "nfs.example", path: "/export" },
      },
      status: { phase: "Bound" },
    });
    expect(Object.fromEntries(row.columns)).toEqual({
      phase: "Bound",
      capacity: "8Gi",
      storageClass: "fast",
      claimNamespace: "shop",
      claimName: "data",
      reclaimPolicy: "Retain",
      accessModes: ["ReadWriteOnce"],
      volumeMode: "Block",
    });
  });

  test("has the reason of its failure, which kubectl shows beside the phase", () => {
    const failureReason = (reason: string): unknown =>
      rowOf(persistentVolumeKind, { metadata: { name: "pv-1" }, status: { phase: "Failed", reason } }).columns.get(
        "failureReason",
      );
    expect([failureReason("VolumeLost"), failureReason("")]).toEqual(["VolumeLost", undefined]);
  });

  test.each([
    ["Available", "healthy"],
    ["Bound", "healthy"],
    ["Released", "healthy"],
    ["Failed", "unhealthy"],
    ["Pending", "progressing"],
  ])("in phase %s is %s", (phase, status) => {
    const row = rowOf(persistentVolumeKind, { metadata: { name: "pv-1" }, status: { phase, message: "why" } });
    expect([row.status, row.reason, row.message]).toEqual([status, phase, "why"]);
  });
});
