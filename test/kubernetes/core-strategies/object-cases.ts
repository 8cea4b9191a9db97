// SPDX-License-Identifier: Apache-2.0
import { type CoreCase, objectCase } from "./core-case.ts";

const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "app", image: "nginx" }] } };
const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
const involvedObject = { kind: "Pod", name: "x", namespace: "default" };

/** The other core kinds: good, odd and wrong objects. */
export const objectCases: readonly CoreCase[] = [
  objectCase("namespaces", "plain", {}, { name: "sample-ns" }),
  objectCase("namespaces", "finalizers", { spec: { finalizers: ["a", "example.com/x"] } }, { name: "sample-ns" }),
  objectCase("namespaces", "bad name", {}, { name: "a.b" }),
  objectCase("configmaps", "plain", { data: { a: "b" }, binaryData: { c: "AAEC" }, immutable: true }),
  objectCase("configmaps", "bad keys", { data: { "a b": "", "..": "" } }),
  objectCase("configmaps", "key in both", { data: { a: "b" }, binaryData: { a: "AA==" } }),
  objectCase("configmaps", "too large", { data: { a: "x".repeat(1024 * 1024 + 1) } }),
  objectCase("secrets", "texts", { data: { a: "YQ==" }, stringData: { a: "é", b: "" } }),
  objectCase("secrets", "tls without keys", { type: "kubernetes.io/tls" }),
  objectCase("secrets", "basic auth without keys", { type: "kubernetes.io/basic-auth" }),
  objectCase("secrets", "ssh auth without key", { type: "kubernetes.io/ssh-auth" }),
  objectCase("secrets", "docker config that is none", {
    type: "kubernetes.io/dockerconfigjson",
    stringData: { ".dockerconfigjson": "nope" },
  }),
  objectCase("secrets", "docker config", {
    type: "kubernetes.io/dockerconfigjson",
    stringData: { ".dockerconfigjson": "{}" },
  }),
  objectCase("secrets", "token without account", { type: "kubernetes.io/service-account-token" }),
  objectCase("secrets", "type of its own", { type: "example.com/x", data: { "a b": "" } }),
  objectCase("serviceaccounts", "plain", {
    secrets: [{ name: "a", kind: "Secret" }],
    imagePullSecrets: [{ name: "b" }],
  }),
  objectCase("endpoints", "plain", { subsets: [{ addresses: [{ ip: "10.1.2.3" }], ports: [{ port: 80 }] }] }),
  objectCase("endpoints", "wrong", {
    subsets: [
      {},
      {
        addresses: [{ ip: "127.0.0.1" }, { ip: "x", hostname: "A" }],
        ports: [{ port: 0 }, { port: 1, name: "A", protocol: "X" }],
      },
    ],
  }),
  objectCase("nodes", "plain", { status: { capacity: { cpu: "4", memory: "8Gi" } } }, { name: "sample-node" }),
  objectCase(
    "nodes",
    "taints and ranges",
    { spec: { podCIDR: "10.1.0.0/24", taints: [{ key: "a", effect: "NoSchedule" }], unschedulable: true } },
    { name: "sample-node" },
  ),
  objectCase(
    "nodes",
    "wrong",
    {
      spec: {
        podCIDRs: ["10.1.0.1/24"],
        taints: [
          { key: "a b", value: "-", effect: "Never" },
          { key: "x" },
          { key: "y", effect: "NoExecute" },
          { key: "y", effect: "NoExecute" },
        ],
      },
    },
    { name: "sample-node" },
  ),
  objectCase("events", "plain", { involvedObject, reason: "Test", type: "Normal" }),
  objectCase("events", "other namespace", { involvedObject: { ...involvedObject, namespace: "other" } }),
  objectCase("events", "new form without its fields", { involvedObject, eventTime: "2026-01-02T03:04:05.000006Z" }),
  objectCase("persistentvolumes", "plain", {
    spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/x" } },
  }),
  objectCase("persistentvolumes", "empty", { spec: {} }),
  objectCase("persistentvolumes", "wrong", {
    spec: {
      capacity: { storage: "0", cpu: "1" },
      accessModes: ["Any", "ReadWriteOncePod", "ReadWriteOnce"],
      local: {},
      nfs: {},
      persistentVolumeReclaimPolicy: "Burn",
      storageClassName: "A",
      volumeMode: "Tape",
    },
  }),
  objectCase("persistentvolumeclaims", "plain", { spec: claim }),
  objectCase("persistentvolumeclaims", "empty", { spec: {} }),
  objectCase("persistentvolumeclaims", "data source", {
    spec: { ...claim, dataSource: { kind: "PersistentVolumeClaim", name: "other" } },
  }),
  objectCase("persistentvolumeclaims", "foreign data source", {
    spec: { ...claim, dataSource: { kind: "Pod", name: "other" } },
  }),
  objectCase("persistentvolumeclaims", "wrong", {
    spec: {
      accessModes: ["Any"],
      resources: { requests: { storage: "-1" } },
      storageClassName: "A",
      volumeMode: "Tape",
      selector: { matchLabels: { "a b": "c" } },
    },
  }),
  objectCase("limitranges", "plain", {
    spec: {
      limits: [
        { type: "Container", max: { cpu: "2" }, min: { memory: "1Mi" } },
        { type: "Pod", max: { cpu: "4" } },
      ],
    },
  }),
  objectCase("limitranges", "wrong", {
    spec: {
      limits: [
        { type: "Box" },
        { type: "Container", min: { cpu: "2" }, max: { cpu: "1" } },
        { type: "Pod", default: { cpu: "1" } },
        { type: "PersistentVolumeClaim" },
      ],
    },
  }),
  objectCase("resourcequotas", "plain", {
    spec: { hard: { pods: "10", "requests.cpu": "4", "count/deployments.apps": "3" }, scopes: ["NotBestEffort"] },
  }),
  objectCase("resourcequotas", "wrong", {
    spec: { hard: { pods: "1.5", disk: "1" }, scopes: ["BestEffort", "NotBestEffort", "Mine"] },
  }),
  objectCase("replicationcontrollers", "plain", { spec: { template } }),
  objectCase("replicationcontrollers", "wrong", {
    spec: {
      replicas: -1,
      selector: { x: "y" },
      template: { ...template, spec: { ...template.spec, restartPolicy: "Never" } },
    },
  }),
  objectCase("replicationcontrollers", "empty", { spec: {} }),
  objectCase("podtemplates", "plain", { template }),
  objectCase("podtemplates", "wrong", { template: { metadata: { labels: { "a b": "c" } }, spec: {} } }),
];
