// SPDX-License-Identifier: Apache-2.0
import type { DraftObject } from "../../apiserver/json/json.ts";

/** What differs between nodes. */
export interface NodeParts {
  readonly name: string;
  readonly region: string;
  readonly zone: string;
  /** Index among the nodes of its cluster, from 0. Its addresses derive from it. */
  readonly index: number;
  readonly isControlPlane?: boolean;
}

const kubeletVersion = "v1.36.3";
const systemPart = { "kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux" };

/** A node as its kubelet registers it. The first heartbeat sets its conditions. */
export function makeNode({ name, region, zone, index, isControlPlane = false }: NodeParts): DraftObject {
  const resources = { cpu: "8", memory: "32864556Ki", pods: "110", "ephemeral-storage": "101430960Ki" };
  return {
    metadata: {
      name,
      labels: {
        ...systemPart,
        "kubernetes.io/hostname": name,
        "node.kubernetes.io/instance-type": "m6.2xlarge",
        "topology.kubernetes.io/region": region,
        "topology.kubernetes.io/zone": zone,
        ...(isControlPlane ? { "node-role.kubernetes.io/control-plane": "" } : {}),
      },
    },
    spec: {
      podCIDR: `10.244.${index}.0/24`,
      podCIDRs: [`10.244.${index}.0/24`],
      providerID: `playground://${region}/${name}`,
    },
    status: {
      addresses: [
        { type: "InternalIP", address: `10.0.${index}.10` },
        { type: "Hostname", address: name },
      ],
      capacity: resources,
      allocatable: { ...resources, cpu: "7910m", memory: "31480108Ki" },
      daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      nodeInfo: {
        machineID: "",
        systemUUID: "",
        bootID: "",
        kernelVersion: "6.12.0-playground",
        osImage: "Flotilla Playground",
        containerRuntimeVersion: "containerd://2.1.4",
        kubeletVersion,
        kubeProxyVersion: "",
        operatingSystem: "linux",
        architecture: "amd64",
      },
    },
  };
}
