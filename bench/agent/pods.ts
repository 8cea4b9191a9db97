// SPDX-License-Identifier: Apache-2.0
// Pods as a cluster of web services has them: two containers, a sidecar's settings, what kubelet and API server add.
// About 5 KB of JSON each.

import { hash } from "node:crypto";

const parts = ["checkout", "cart", "search", "billing", "ledger", "media", "auth", "catalog", "mail", "risk"];
const roles = ["api", "worker", "frontend", "cache", "sync", "gateway", "cron"];

/** Pods of one ReplicaSet. */
const replicaCount = 5;

/** Up to 32 digits that look drawn, as uids and digests do: what compresses well in a bench only would flatter it. */
function hex(serial: number, length: number): string {
  return hash("md5", String(serial), "hex").slice(0, length);
}

function uuid(serial: number): string {
  const digits = hex(serial, 32);
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-a${digits.slice(17, 20)}-${digits.slice(20)}`;
}

function container(name: string, image: string): object {
  const probe = {
    httpGet: { path: "/healthz", port: 8080, scheme: "HTTP" },
    timeoutSeconds: 1,
    periodSeconds: 10,
    successThreshold: 1,
    failureThreshold: 3,
  };
  return {
    name,
    image,
    ports: [{ name: "http", containerPort: 8080, protocol: "TCP" }],
    env: [
      { name: "POD_NAME", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } } },
      { name: "POD_NAMESPACE", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } } },
      { name: "LOG_LEVEL", value: "info" },
      { name: "OTEL_EXPORTER_OTLP_ENDPOINT", value: "http://collector.observability:4317" },
    ],
    resources: { limits: { cpu: "1", memory: "512Mi" }, requests: { cpu: "100m", memory: "256Mi" } },
    volumeMounts: [
      { name: "kube-api-access", readOnly: true, mountPath: "/var/run/secrets/kubernetes.io/serviceaccount" },
    ],
    livenessProbe: probe,
    readinessProbe: probe,
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
    imagePullPolicy: "IfNotPresent",
    securityContext: { runAsNonRoot: true, allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
  };
}

function containerStatus(name: string, image: string, serial: number): object {
  const set = Math.floor(serial / replicaCount);
  return {
    name,
    state: { running: { startedAt: "2026-01-05T10:00:05Z" } },
    lastState: {},
    ready: true,
    restartCount: 0,
    image,
    imageID: `${image.split(":")[0]}@sha256:${hex(set, 32).repeat(2)}`,
    containerID: `containerd://${hex(serial + 1, 32).repeat(2)}`,
    started: true,
  };
}

function managedFields(manager: string, subresource: string): object {
  const fields = Object.fromEntries(
    ["app.kubernetes.io/instance", "app.kubernetes.io/name", "pod-template-hash"].map((label) => [`f:${label}`, {}]),
  );
  const spec = { "f:containers": { 'k:{"name":"main"}': { ".": {}, "f:env": {}, "f:image": {}, "f:ports": {} } } };
  return {
    manager,
    operation: "Update",
    apiVersion: "v1",
    time: "2026-01-05T10:00:06Z",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:metadata": { "f:labels": fields }, "f:spec": spec },
    ...(subresource === "" ? {} : { subresource }),
  };
}

/** The Pod of that number; the same at every call. */
export function createPod(serial: number): object {
  const set = Math.floor(serial / replicaCount);
  const part = parts[set % parts.length] ?? "";
  const app = `${part}-${roles[set % roles.length]}-${set}`;
  const owner = `${app}-${hex(set, 9)}`;
  const image = `registry.example.com/${part}/${app}:2.${set % 30}.1`;
  const proxy = "docker.io/istio/proxyv2:1.24.1";
  const condition = (type: string): object => ({
    type,
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: "2026-01-05T10:00:06Z",
  });
  return {
    metadata: {
      name: `${owner}-${hex(serial, 5)}${serial}`,
      generateName: `${owner}-`,
      namespace: `team-${part}-${set % 40}`,
      uid: uuid(serial),
      resourceVersion: String(100_000 + serial),
      creationTimestamp: "2026-01-05T10:00:00Z",
      labels: {
        "app.kubernetes.io/instance": app,
        "app.kubernetes.io/managed-by": "Helm",
        "app.kubernetes.io/name": part,
        "app.kubernetes.io/version": `2.${set % 30}.1`,
        "pod-template-hash": hex(set, 9),
        team: part,
      },
      annotations: { "prometheus.io/scrape": "true", "sidecar.istio.io/status": '{"containers":["istio-proxy"]}' },
      ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: owner, uid: uuid(-set), controller: true }],
      managedFields: [managedFields("kube-controller-manager", ""), managedFields("kubelet", "status")],
    },
    spec: {
      volumes: [
        {
          name: "kube-api-access",
          projected: { sources: [{ serviceAccountToken: { expirationSeconds: 3607, path: "token" } }] },
        },
      ],
      containers: [container("main", image), container("istio-proxy", proxy)],
      restartPolicy: "Always",
      serviceAccountName: app,
      nodeName: `ip-10-0-${serial % 4}-${serial % 100}.ec2.internal`,
      tolerations: [
        { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 },
      ],
    },
    status: {
      phase: "Running",
      conditions: ["Initialized", "Ready", "ContainersReady", "PodScheduled"].map(condition),
      hostIP: `10.0.${serial % 4}.${serial % 100}`,
      podIP: `10.${serial % 200}.${(serial >> 8) % 256}.${serial % 256}`,
      podIPs: [{ ip: `10.${serial % 200}.${(serial >> 8) % 256}.${serial % 256}` }],
      startTime: "2026-01-05T10:00:00Z",
      containerStatuses: [containerStatus("main", image, serial), containerStatus("istio-proxy", proxy, serial)],
      qosClass: "Burstable",
    },
  };
}
