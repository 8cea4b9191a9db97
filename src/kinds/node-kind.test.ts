// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { nodeKind } from "./node-kind.ts";
import { rowOf } from "./testing/sample-rows.ts";

const ready = { type: "Ready", status: "True", reason: "KubeletReady", message: "posting ready status" };
const trouble = (type: string, status = "True"): object => ({ type, status, reason: `Kubelet${type}`, message: "why" });

function node(conditions: readonly object[], more: object = {}): object {
  return { metadata: { name: "node-a" }, status: { conditions }, ...more };
}

describe("a Node's row", () => {
  test("[KI8] has roles, versions, addresses, amounts as written, taints and conditions", () => {
    const row = rowOf(nodeKind, {
      metadata: {
        name: "node-a",
        labels: {
          "node-role.kubernetes.io/worker": "",
          "node-role.kubernetes.io/control-plane": "",
          "kubernetes.io/role": "edge",
          "node-role.kubernetes.io/": "",
        },
      },
      spec: { taints: [{ key: "dedicated", value: "db", effect: "NoSchedule", timeAdded: "2026-01-05T10:00:00Z" }] },
      status: {
        capacity: { cpu: "8", memory: "32823Ki", pods: 110 },
        allocatable: { cpu: "7800m", memory: "31Gi", pods: "100" },
        addresses: [
          { type: "InternalIP", address: "192.0.2.10" },
          { type: "Hostname", address: "node-a" },
        ],
        nodeInfo: {
          kubeletVersion: "v1.36.3",
          containerRuntimeVersion: "containerd://2.1.0",
          osImage: "Debian 13",
          kernelVersion: "6.12.1",
          operatingSystem: "linux",
          architecture: "arm64",
          machineID: "m",
        },
        conditions: [{ ...ready, lastHeartbeatTime: "2026-01-05T10:00:00Z" }],
      },
    });
    expect(Object.fromEntries(row.columns)).toEqual({
      roles: ["control-plane", "edge", "worker"],
      kubeletVersion: "v1.36.3",
      runtimeVersion: "containerd://2.1.0",
      osImage: "Debian 13",
      kernelVersion: "6.12.1",
      os: "linux",
      architecture: "arm64",
      addresses: ['{"type":"InternalIP","address":"192.0.2.10"}', '{"type":"Hostname","address":"node-a"}'],
      cpuCapacity: "8",
      memoryCapacity: "32823Ki",
      podsCapacity: "110",
      cpuAllocatable: "7800m",
      memoryAllocatable: "31Gi",
      podsAllocatable: "100",
      unschedulable: false,
      taints: ['{"key":"dedicated","value":"db","effect":"NoSchedule"}'],
      conditions: ['{"type":"Ready","status":"True","reason":"KubeletReady"}'],
    });
  });
});

describe("a Node's status", () => {
  test.each<readonly [string, readonly object[], string, string]>([
    ["ready", [ready], "healthy", "KubeletReady"],
    ["not ready", [trouble("Ready", "False")], "unhealthy", "KubeletReady"],
    ["silent", [{ type: "Ready", status: "Unknown", reason: "NodeStatusUnknown" }], "unhealthy", "NodeStatusUnknown"],
    ["just registered", [], "progressing", "NotReportedYet"],
    ["short of disk", [trouble("DiskPressure"), ready], "degraded", "DiskPressure"],
    ["short of memory", [trouble("MemoryPressure"), ready], "degraded", "MemoryPressure"],
    ["short of processes", [trouble("PIDPressure"), ready], "degraded", "PIDPressure"],
    [
      "without network",
      [trouble("MemoryPressure"), trouble("NetworkUnavailable"), ready],
      "degraded",
      "NetworkUnavailable",
    ],
    ["at ease", [trouble("MemoryPressure", "False"), trouble("KernelDeadlock"), ready], "healthy", "KubeletReady"],
    ["short of disk and not ready", [trouble("DiskPressure"), trouble("Ready", "False")], "unhealthy", "KubeletReady"],
  ])("of one %s", (_, conditions, status, reason) => {
    const row = rowOf(nodeKind, node(conditions));
    expect([row.status, row.reason]).toEqual([status, reason]);
  });

  test("of a cordoned one stays healthy, and the column tells", () => {
    const row = rowOf(nodeKind, node([ready], { spec: { unschedulable: true } }));
    expect([row.status, row.columns.get("unschedulable")]).toEqual(["healthy", true]);
  });
});
