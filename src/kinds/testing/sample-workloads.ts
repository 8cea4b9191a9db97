// SPDX-License-Identifier: Apache-2.0
// Real-looking objects of the kinds that run something. `marker` stands wherever a value must not leave a cluster
// (L18).
import type { SampleObject } from "./kind-sample.ts";

/** Metadata as an API server writes them, with annotations that must not leave the cluster. */
export function sampleMetadata(name: string, marker: string, more: object = {}): object {
  return {
    name,
    namespace: "shop",
    uid: "6f1a1c5e-6c0e-4e0f-9d0c-2f6f0c0f0a01",
    resourceVersion: "48213",
    generation: 3,
    creationTimestamp: "2026-01-05T10:00:00Z",
    labels: { app: "web", "app.kubernetes.io/part-of": "shop" },
    annotations: {
      "kubectl.kubernetes.io/last-applied-configuration": `{"env":"${marker}"}`,
      "example.com/note": marker,
      "deployment.kubernetes.io/revision": "4",
    },
    managedFields: [{ manager: marker, operation: "Apply", fieldsV1: { "f:spec": {} } }],
    ownerReferences: [
      { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web-7c9d", uid: "6f1a1c5e", controller: true },
    ],
    ...more,
  };
}

function container(name: string, marker: string): object {
  return {
    name,
    image: `registry.example/shop/${name}:1.4.2`,
    command: ["/bin/server", marker],
    args: ["--password", marker],
    env: [
      { name: "PASSWORD", value: marker },
      { name: "TOKEN", valueFrom: { secretKeyRef: { name: "web", key: marker } } },
    ],
    livenessProbe: { exec: { command: ["check", marker] } },
    lifecycle: { preStop: { exec: { command: [marker] } } },
    workingDir: marker,
    terminationMessagePath: marker,
  };
}

/** A Pod spec with values that must not leave the cluster. */
function samplePodSpec(marker: string): object {
  return {
    nodeName: "node-a",
    initContainers: [container("migrate", marker), { ...container("proxy", marker), restartPolicy: "Always" }],
    containers: [container("web", marker), container("log", marker)],
    volumes: [{ name: "v", csi: { volumeAttributes: { password: marker } } }],
    imagePullSecrets: [{ name: marker }],
    hostAliases: [{ ip: marker, hostnames: [marker] }],
  };
}

function containerStatus(name: string, marker: string, more: object): object {
  return { name, imageID: marker, containerID: marker, image: marker, restartCount: 0, ...more };
}

/** A Pod whose log container crashes. */
export function samplePod(marker: string): SampleObject {
  const ended = {
    exitCode: 137,
    reason: "OOMKilled",
    message: marker,
    containerID: marker,
    finishedAt: "2026-01-05T10:30:00Z",
  };
  return {
    metadata: sampleMetadata("web-7c9d-x2x4z", marker),
    spec: samplePodSpec(marker),
    status: {
      phase: "Running",
      qosClass: "Burstable",
      podIP: "10.1.0.7",
      podIPs: [{ ip: "10.1.0.7" }, { ip: "fd00::7" }],
      conditions: [{ type: "Ready", status: "False", reason: "ContainersNotReady", message: "log is not ready" }],
      initContainerStatuses: [
        containerStatus("migrate", marker, {
          state: { terminated: { exitCode: 0, reason: "Completed", message: marker } },
        }),
        containerStatus("proxy", marker, {
          ready: true,
          started: true,
          state: { running: { startedAt: "2026-01-05T10:00:03Z" } },
        }),
      ],
      containerStatuses: [
        containerStatus("web", marker, { ready: true, state: { running: { startedAt: "2026-01-05T10:00:05Z" } } }),
        containerStatus("log", marker, {
          restartCount: 7,
          state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 5m0s restarting failed container" } },
          lastState: { terminated: ended },
        }),
      ],
    },
  };
}

function template(marker: string): object {
  return {
    metadata: { labels: { app: "web" }, annotations: { "example.com/note": marker } },
    spec: samplePodSpec(marker),
  };
}

const selector = {
  matchLabels: { app: "web" },
  matchExpressions: [
    { key: "tier", operator: "In", values: ["front", "back"] },
    { key: "old", operator: "DoesNotExist" },
  ],
};

/** A Deployment with all replicas available. */
export function sampleDeployment(marker: string): SampleObject {
  return {
    metadata: sampleMetadata("web", marker),
    spec: { replicas: 3, selector, strategy: { type: "RollingUpdate" }, template: template(marker) },
    status: {
      observedGeneration: 3,
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      conditions: [
        { type: "Available", status: "True", reason: "MinimumReplicasAvailable", message: "has minimum availability" },
        { type: "Progressing", status: "True", reason: "NewReplicaSetAvailable", message: "has progressed" },
      ],
    },
  };
}

/** A StatefulSet with all replicas ready. */
export function sampleStatefulSet(marker: string): SampleObject {
  return {
    metadata: sampleMetadata("db", marker),
    spec: {
      replicas: 2,
      serviceName: "db",
      selector,
      template: template(marker),
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
      volumeClaimTemplates: [{ metadata: { annotations: { note: marker } } }],
    },
    status: {
      observedGeneration: 3,
      replicas: 2,
      updatedReplicas: 2,
      readyReplicas: 2,
      availableReplicas: 2,
      currentRevision: "db-1",
      updateRevision: "db-1",
    },
  };
}

/** A DaemonSet on three nodes. */
export function sampleDaemonSet(marker: string): SampleObject {
  return {
    metadata: sampleMetadata("agent", marker),
    spec: {
      selector,
      template: {
        ...template(marker),
        spec: { ...samplePodSpec(marker), nodeSelector: { "kubernetes.io/os": "linux", disk: "ssd" } },
      },
      updateStrategy: { type: "RollingUpdate" },
    },
    status: {
      observedGeneration: 3,
      desiredNumberScheduled: 3,
      currentNumberScheduled: 3,
      updatedNumberScheduled: 3,
      numberReady: 3,
      numberAvailable: 3,
      numberMisscheduled: 0,
    },
  };
}

/** A ReplicaSet that is complete. */
export function sampleReplicaSet(marker: string): SampleObject {
  return {
    metadata: sampleMetadata("web-7c9d", marker),
    spec: { replicas: 3, selector, template: template(marker) },
    status: { observedGeneration: 3, replicas: 3, readyReplicas: 3, availableReplicas: 3 },
  };
}

/** A Job that runs. */
export function sampleJob(marker: string): SampleObject {
  return {
    metadata: sampleMetadata("report-2901", marker),
    spec: { completions: 2, parallelism: 1, template: template(marker) },
    status: { active: 1, succeeded: 1, failed: 1, startTime: "2026-01-05T10:00:00Z" },
  };
}

/** A CronJob with a Job under way. */
export function sampleCronJob(marker: string): SampleObject {
  return {
    metadata: sampleMetadata("report", marker),
    spec: {
      schedule: "*/5 * * * *",
      timeZone: "Europe/Berlin",
      concurrencyPolicy: "Forbid",
      suspend: false,
      jobTemplate: { spec: { template: template(marker) } },
    },
    status: {
      active: [
        { kind: "Job", name: "report-2902" },
        { kind: "Job", name: "report-2901" },
      ],
      lastScheduleTime: "2026-01-05T10:05:00Z",
      lastSuccessfulTime: "2026-01-05T10:00:42Z",
    },
  };
}
