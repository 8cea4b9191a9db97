// SPDX-License-Identifier: Apache-2.0

/** A Node object that kwok brings to life, with room for more Pods than a test makes. */
export function kwokNode(name: string): unknown {
  const room = { cpu: "1000", memory: "1000Gi", pods: "5000" };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", type: "kwok" } },
    status: { allocatable: room, capacity: room },
  };
}
