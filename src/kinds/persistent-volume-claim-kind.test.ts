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
      status: { phase: "Bound", capacity: { storage: "10Gi" }, accessModes: ["ReadWriteOnce", "ReadOnlyMany"] },
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

  test("[KI31] has the modes of its volume where they are not the requested ones", () => {
    const boundModes = (volumeName: string | undefined, modes: readonly string[]): unknown => {
      const spec = { volumeName, accessModes: ["ReadWriteOnce"] };
      const status = { accessModes: modes };
      return rowOf(persistentVolumeClaimKind, { metadata, spec, status }).columns.get("boundModes");
    };
    expect(boundModes("pv-1", ["ReadWriteMany", "ReadWriteOnce"])).toBe("RWO,RWX");
    expect(boundModes("pv-1", [])).toBe("");
    expect(boundModes("pv-1", ["ReadWriteOnce"])).toBeUndefined();
    expect(boundModes(undefined, [])).toBeUndefined();
  });

  test("has the class of the annotation that came before the field", () => {
    const annotations = { "volume.beta.kubernetes.io/storage-class": "slow" };
    const object = { metadata: { ...metadata, annotations }, spec: { storageClassName: "fast" } };
    expect(rowOf(persistentVolumeClaimKind, object).columns.get("storageClass")).toBe("slow");
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
