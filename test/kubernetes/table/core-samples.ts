// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "../../../src/apiserver/json/json.ts";
import { type Ago, coreIn, namespaced, type Sample } from "./sample.ts";

const event = (name: string, parts: JsonObject): Sample => ({
  collection: coreIn("events"),
  object: { metadata: { name }, involvedObject: { kind: "Pod", name: "p", namespace: "table" }, ...parts },
});

function node(name: string, labels: JsonObject, spec: JsonObject, status: JsonObject): Sample {
  return { collection: "/api/v1/nodes", object: { metadata: { name, labels }, spec }, status };
}

const ready = (status: string): JsonObject => ({
  conditions: [
    { type: "Ready", status },
    { type: "DiskPressure", status: "True" },
  ],
});
const machine = { machineID: "", systemUUID: "", bootID: "", kubeProxyVersion: "", operatingSystem: "linux" };

export function coreSamples(ago: Ago): readonly Sample[] {
  return [
    { collection: coreIn("configmaps"), object: { metadata: { name: "empty" } } },
    {
      collection: coreIn("configmaps"),
      object: { metadata: { name: "three" }, data: { a: "1", b: "2" }, binaryData: { c: "AA==" } },
    },
    { collection: coreIn("secrets"), object: { metadata: { name: "opaque" }, stringData: { a: "1", b: "2" } } },
    { collection: coreIn("secrets"), object: { metadata: { name: "own" }, type: "example.com/own" } },
    { collection: coreIn("limitranges", "bounds"), object: { metadata: { name: "lr" }, spec: { limits: [] } } },
    {
      collection: coreIn("resourcequotas", "bounds"),
      object: { metadata: { name: "rq" }, spec: { hard: { pods: "4", "requests.cpu": "2", "limits.cpu": "2" } } },
      status: {
        hard: {
          pods: "4",
          "requests.cpu": "1500m",
          "limits.cpu": "2",
          "limits.memory": "1024Mi",
          "count/jobs.batch": "3",
        },
        used: { pods: "1", "requests.cpu": "0.5", "limits.cpu": "1" },
      },
    },
    {
      collection: coreIn("resourcequotas", "bounds"),
      object: { metadata: { name: "unknown" }, spec: { hard: { pods: "4" } } },
    },
    node(
      "control",
      { "node-role.kubernetes.io/control-plane": "", "kubernetes.io/role": "master", a: "b" },
      { unschedulable: true },
      {
        ...ready("True"),
        addresses: [
          { type: "Hostname", address: "control" },
          { type: "InternalIP", address: "10.0.0.1" },
          { type: "ExternalIP", address: "203.0.113.1" },
          { type: "InternalIP", address: "fd00::1" },
        ],
        nodeInfo: {
          ...machine,
          architecture: "arm64",
          kernelVersion: "6.1.0",
          osImage: "Example Linux 12",
          containerRuntimeVersion: "containerd://2.0.0",
          kubeletVersion: "v1.36.3",
        },
      },
    ),
    node("broken", {}, {}, ready("Unknown")),
    node("unknown", { "kubernetes.io/role": "" }, {}, {}),
    event("old", {
      type: "Normal",
      reason: "Pulled",
      message: "  pulled it \n",
      count: 3,
      firstTimestamp: ago(4000),
      lastTimestamp: ago(65),
      source: { component: "kubelet", host: "node-1" },
      involvedObject: { kind: "Pod", name: "p", namespace: "table", fieldPath: "spec.containers{web}" },
    }),
    event("bare", { involvedObject: { kind: "ReplicaSet", namespace: "table" } }),
    event("first-only", { reason: "Started", firstTimestamp: ago(200), source: { component: "kubelet" } }),
    event("series", {
      type: "Warning",
      reason: "Again",
      action: "Trying",
      message: "again",
      eventTime: `${ago(900).slice(0, -1)}.000000Z`,
      reportingComponent: "example.com/ours",
      reportingInstance: "ours-1",
      series: { count: 12, lastObservedTime: `${ago(30).slice(0, -1)}.250000Z` },
    }),
    event("single", {
      type: "Normal",
      reason: "Once",
      action: "Trying",
      message: "once",
      eventTime: `${ago(86_400 * 9).slice(0, -1)}.000000Z`,
      reportingComponent: "example.com/ours",
      reportingInstance: "ours-1",
    }),
    {
      collection: namespaced("coordination.k8s.io/v1", "leases"),
      object: { metadata: { name: "held" }, spec: { holderIdentity: "me", leaseDurationSeconds: 15 } },
    },
    { collection: namespaced("coordination.k8s.io/v1", "leases"), object: { metadata: { name: "free" }, spec: {} } },
  ];
}
