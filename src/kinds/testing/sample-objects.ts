// SPDX-License-Identifier: Apache-2.0
// A real-looking object of every core kind and of Secrets. `marker` stands wherever a value must not leave a cluster
// (L18).
import { configMapKind } from "../config-map-kind.ts";
import { cronJobKind } from "../cron-job-kind.ts";
import { customResourceDefinitionKind } from "../custom-resource-definition-kind.ts";
import { daemonSetKind } from "../daemon-set-kind.ts";
import { deploymentKind } from "../deployment-kind.ts";
import { endpointSliceKind } from "../endpoint-slice-kind.ts";
import { eventKind } from "../event-kind.ts";
import { horizontalPodAutoscalerKind } from "../horizontal-pod-autoscaler-kind.ts";
import { ingressKind } from "../ingress-kind.ts";
import { jobKind } from "../job-kind.ts";
import type { Kind } from "../kind.ts";
import { namespaceKind } from "../namespace-kind.ts";
import { nodeKind } from "../node-kind.ts";
import { persistentVolumeClaimKind } from "../persistent-volume-claim-kind.ts";
import { persistentVolumeKind } from "../persistent-volume-kind.ts";
import { podDisruptionBudgetKind } from "../pod-disruption-budget-kind.ts";
import { podKind } from "../pod-kind.ts";
import { clusterRoleBindingKind, roleBindingKind } from "../rbac-binding-kinds.ts";
import { clusterRoleKind, roleKind } from "../rbac-role-kinds.ts";
import { replicaSetKind } from "../replica-set-kind.ts";
import { secretKind } from "../secret-kind.ts";
import { serviceKind } from "../service-kind.ts";
import { statefulSetKind } from "../stateful-set-kind.ts";
import type { SampleObject } from "./kind-sample.ts";
import {
  sampleCronJob,
  sampleDaemonSet,
  sampleDeployment,
  sampleJob,
  sampleMetadata,
  samplePod,
  sampleReplicaSet,
  sampleStatefulSet,
} from "./sample-workloads.ts";

const conditions = [
  { type: "Ready", status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" },
];

const rules = [
  { verbs: ["get", "list"], apiGroups: [""], resources: ["pods"], resourceNames: ["web"] },
  { verbs: ["get"], nonResourceURLs: ["/healthz"] },
];

const binding = {
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
  subjects: [
    { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "ana" },
    { kind: "ServiceAccount", name: "ci", namespace: "build" },
  ],
};

/** One object for each kind. */
export function createSamples(marker: string): ReadonlyMap<Kind, SampleObject> {
  const metadata = (name: string, more: object = {}): object => sampleMetadata(name, marker, more);
  const clusterScoped = { namespace: undefined, ownerReferences: undefined };
  return new Map<Kind, SampleObject>([
    [podKind, samplePod(marker)],
    [deploymentKind, sampleDeployment(marker)],
    [statefulSetKind, sampleStatefulSet(marker)],
    [daemonSetKind, sampleDaemonSet(marker)],
    [replicaSetKind, sampleReplicaSet(marker)],
    [jobKind, sampleJob(marker)],
    [cronJobKind, sampleCronJob(marker)],
    [roleKind, { metadata: metadata("reader"), rules }],
    [
      clusterRoleKind,
      {
        metadata: metadata("view", clusterScoped),
        rules,
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { "to-view": "true" } }] },
      },
    ],
    [roleBindingKind, { metadata: metadata("readers"), ...binding }],
    [clusterRoleBindingKind, { metadata: metadata("viewers", clusterScoped), ...binding }],
    [
      namespaceKind,
      { metadata: metadata("shop", clusterScoped), spec: { finalizers: ["kubernetes"] }, status: { phase: "Active" } },
    ],
    [
      nodeKind,
      {
        metadata: metadata("node-a", { ...clusterScoped, labels: { "node-role.kubernetes.io/worker": "" } }),
        spec: {
          podCIDR: "10.1.0.0/24",
          unschedulable: true,
          taints: [{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }],
        },
        status: {
          capacity: { cpu: "8", memory: "32Gi", pods: "110" },
          allocatable: { cpu: "7800m", memory: "31Gi", pods: "110" },
          addresses: [{ type: "InternalIP", address: "192.0.2.10" }],
          nodeInfo: {
            kubeletVersion: "v1.36.3",
            machineID: marker,
            bootID: marker,
            systemUUID: marker,
            architecture: "arm64",
          },
          images: [{ names: [marker], sizeBytes: 7 }],
          volumesAttached: [{ name: marker, devicePath: marker }],
          conditions,
        },
      },
    ],
    [
      customResourceDefinitionKind,
      {
        metadata: metadata("widgets.example.com", clusterScoped),
        spec: {
          group: "example.com",
          names: { kind: "Widget", plural: "widgets", singular: "widget", shortNames: ["wd"] },
          scope: "Namespaced",
          conversion: { webhook: { clientConfig: { caBundle: marker } } },
          versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { default: marker } } }],
        },
        status: {
          storedVersions: ["v1"],
          conditions: [{ type: "Established", status: "True", reason: "InitialNamesAccepted" }],
        },
      },
    ],
    [
      serviceKind,
      {
        metadata: metadata("web"),
        spec: {
          type: "ClusterIP",
          selector: { app: "web" },
          ports: [{ protocol: "TCP", port: 80, targetPort: "http" }],
          sessionAffinityConfig: { note: marker },
        },
      },
    ],
    [
      endpointSliceKind,
      {
        metadata: metadata("web-abc", { labels: { "kubernetes.io/service-name": "web" } }),
        addressType: "IPv4",
        ports: [{ name: "http", protocol: "TCP", port: 8080 }],
        endpoints: [
          {
            addresses: ["10.1.0.7"],
            conditions: { ready: true, serving: true, terminating: false },
            targetRef: { kind: "Pod", namespace: "shop", name: "web-7c9d-x2x4z", fieldPath: marker },
            nodeName: "node-a",
            zone: "eu-1a",
            deprecatedTopology: { note: marker },
          },
        ],
      },
    ],
    [
      ingressKind,
      {
        metadata: metadata("web"),
        spec: {
          ingressClassName: "nginx",
          rules: [
            {
              host: "shop.example",
              http: {
                paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "web", port: { number: 80 } } } }],
              },
            },
          ],
          tls: [{ hosts: ["shop.example"], secretName: marker }],
        },
        status: { loadBalancer: { ingress: [{ ip: "192.0.2.4" }] } },
      },
    ],
    [
      horizontalPodAutoscalerKind,
      {
        metadata: metadata("web"),
        spec: {
          scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
          minReplicas: 2,
          maxReplicas: 9,
          metrics: [{ external: { metric: { name: marker } } }],
        },
        status: {
          currentReplicas: 3,
          desiredReplicas: 3,
          lastScaleTime: "2026-01-05T10:00:00Z",
          currentMetrics: [{ external: { metric: { name: marker } } }],
          conditions: [
            { type: "AbleToScale", status: "True", reason: "ReadyForNewScale" },
            { type: "ScalingActive", status: "True", reason: "ValidMetricFound", message: marker },
          ],
        },
      },
    ],
    [
      podDisruptionBudgetKind,
      {
        metadata: metadata("web"),
        spec: { minAvailable: 2, selector: { matchLabels: { app: "web" } }, unhealthyPodEvictionPolicy: marker },
        status: {
          disruptionsAllowed: 1,
          currentHealthy: 3,
          desiredHealthy: 2,
          expectedPods: 3,
          disruptedPods: { [marker]: "2026-01-05T10:00:00Z" },
          conditions: [{ type: "DisruptionAllowed", status: "True", reason: "SufficientPods", message: marker }],
        },
      },
    ],
    [
      persistentVolumeClaimKind,
      {
        metadata: metadata("data"),
        spec: {
          storageClassName: "fast",
          volumeName: "pv-1",
          accessModes: ["ReadWriteOnce"],
          resources: { requests: { storage: "8Gi" } },
          dataSource: { name: marker },
        },
        status: { phase: "Bound", capacity: { storage: "8Gi" } },
      },
    ],
    [
      persistentVolumeKind,
      {
        metadata: metadata("pv-1", clusterScoped),
        spec: {
          capacity: { storage: "8Gi" },
          storageClassName: "fast",
          claimRef: { namespace: "shop", name: "data" },
          csi: { volumeHandle: marker, volumeAttributes: { key: marker } },
        },
        status: { phase: "Bound" },
      },
    ],
    [
      configMapKind,
      { metadata: metadata("web"), data: { "app.conf": marker }, binaryData: { "logo.png": marker }, immutable: true },
    ],
    [
      secretKind,
      { metadata: metadata("web"), type: "Opaque", data: { password: marker }, stringData: { password: marker } },
    ],
    [
      eventKind,
      {
        metadata: metadata("web.17a9", { ownerReferences: undefined }),
        involvedObject: {
          apiVersion: "v1",
          kind: "Pod",
          namespace: "shop",
          name: "web-7c9d-x2x4z",
          uid: "u-pod",
          fieldPath: marker,
        },
        type: "Warning",
        reason: "BackOff",
        message: "Back-off restarting failed container",
        source: { component: "kubelet", host: marker },
        reportingInstance: marker,
        count: 4,
        firstTimestamp: "2026-01-05T10:00:00Z",
        lastTimestamp: "2026-01-05T10:04:00Z",
      },
    ],
  ]);
}
