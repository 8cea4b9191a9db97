// SPDX-License-Identifier: Apache-2.0
import type { Step, Topic } from "../scenario.ts";
import { deployment, makeServiceAccount, pod, pods, services } from "./bodies.ts";

const namespaced = (group: string, plural: string): string => `/${group}/namespaces/\${ns}/${plural}`;

/** The step is called after the resource and the object. */
function create(path: string, name: string, spec: unknown, more: Readonly<Record<string, unknown>> = {}): Step {
  const resource = path.slice(path.lastIndexOf("/") + 1);
  const title = `${resource} ${name.replace("-${run}", "")}`;
  return {
    name: title,
    method: "POST",
    path,
    body: { metadata: { name }, ...(spec === undefined ? {} : { spec }), ...more },
  };
}

function workload(kind: string, name: string): Readonly<Record<string, unknown>> {
  return { ...deployment(name), kind };
}

const job = { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "busybox" }] } } };

const richPod = {
  automountServiceAccountToken: false,
  initContainers: [{ name: "i", image: "registry.example.com/i:1" }],
  containers: [
    {
      name: "c",
      image: "nginx@sha256:0000000000000000000000000000000000000000000000000000000000000000",
      ports: [{ containerPort: 80, name: "web" }],
      env: [{ name: "IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } }],
      resources: { limits: { cpu: "0.5", memory: "1024Mi" }, requests: { cpu: "250m" } },
      livenessProbe: { httpGet: { port: "web" } },
      readinessProbe: { exec: { command: ["true"] }, periodSeconds: 3 },
      lifecycle: { preStop: { httpGet: { port: 80 } } },
      volumeMounts: [{ name: "s", mountPath: "/s" }],
    },
  ],
  volumes: [
    { name: "s", secret: { secretName: "x" } },
    { name: "m", configMap: { name: "x" } },
    { name: "e" },
    { name: "d", downwardAPI: { items: [{ path: "l", fieldRef: { fieldPath: "metadata.labels" } }] } },
    { name: "j", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } },
    { name: "h", hostPath: { path: "/x" } },
  ],
  topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "z", whenUnsatisfiable: "DoNotSchedule", labelSelector: {} }],
};

/** What the server fills in, kind by kind. */
export const defaults: Topic = {
  name: "defaults",
  scenarios: [
    {
      id: "workload-defaults",
      steps: [
        { name: "deployment", method: "POST", path: namespaced("apis/apps/v1", "deployments"), body: deployment("d") },
        {
          name: "deployment that recreates",
          method: "POST",
          path: namespaced("apis/apps/v1", "deployments"),
          body: deployment("r", { strategy: { type: "Recreate" } }),
        },
        {
          name: "stateful set",
          method: "POST",
          path: namespaced("apis/apps/v1", "statefulsets"),
          body: workload("StatefulSet", "s"),
        },
        {
          name: "daemon set",
          method: "POST",
          path: namespaced("apis/apps/v1", "daemonsets"),
          body: workload("DaemonSet", "s"),
        },
        {
          name: "replica set",
          method: "POST",
          path: namespaced("apis/apps/v1", "replicasets"),
          body: workload("ReplicaSet", "s"),
        },
        create(namespaced("api/v1", "replicationcontrollers"), "controller", {
          template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "nginx" }] } },
        }),
        create(namespaced("apis/batch/v1", "jobs"), "job", job),
        create(namespaced("apis/batch/v1", "cronjobs"), "cronjob", {
          schedule: "* * * * *",
          jobTemplate: { spec: job },
        }),
        create(namespaced("apis/autoscaling/v2", "horizontalpodautoscalers"), "scaler", {
          scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
          maxReplicas: 3,
        }),
        {
          name: "scaler at v1",
          method: "GET",
          path: namespaced("apis/autoscaling/v1", "horizontalpodautoscalers/scaler"),
        },
        create(namespaced("apis/policy/v1", "poddisruptionbudgets"), "budget", {
          minAvailable: "50%",
          selector: { matchLabels: { a: "b" } },
        }),
      ],
    },
    {
      id: "pod-defaults",
      steps: [
        { name: "without its service account", method: "POST", path: pods, body: pod("p") },
        makeServiceAccount,
        { name: "small", method: "POST", path: pods, body: pod("p") },
        { name: "rich", method: "POST", path: pods, body: pod("rich", richPod) },
        {
          name: "with the token of its service account",
          method: "POST",
          path: pods,
          body: pod("t", { containers: [{ name: "c", image: "nginx" }] }),
        },
        {
          name: "on the host's network",
          method: "POST",
          path: pods,
          body: pod("h", {
            automountServiceAccountToken: false,
            hostNetwork: true,
            containers: [{ name: "c", image: "nginx", ports: [{ containerPort: 80 }] }],
          }),
        },
      ],
    },
    {
      id: "service-defaults",
      steps: [
        create(services, "plain", { ports: [{ port: 80 }], selector: { a: "b" } }),
        create(services, "headless", { clusterIP: "None", ports: [{ port: 80, targetPort: "web" }] }),
        create(services, "external", { type: "ExternalName", externalName: "x.example.com" }),
        create(services, "node-port", { type: "NodePort", ports: [{ port: 80 }] }),
        create(services, "balancer", { type: "LoadBalancer", ports: [{ port: 80 }] }),
        create(services, "sticky", { ports: [{ port: 80 }], sessionAffinity: "ClientIP" }),
        create(namespaced("api/v1", "endpoints"), "plain", undefined, {
          subsets: [{ addresses: [{ ip: "10.9.9.9" }], ports: [{ port: 80 }] }],
        }),
        create(namespaced("apis/discovery.k8s.io/v1", "endpointslices"), "slice", undefined, {
          addressType: "IPv4",
          endpoints: [{ addresses: ["10.9.9.9"] }],
          ports: [{ port: 80 }],
        }),
        create(namespaced("apis/networking.k8s.io/v1", "ingresses"), "ingress", {
          rules: [
            {
              host: "h.example.com",
              http: {
                paths: [
                  { path: "/", pathType: "Prefix", backend: { service: { name: "plain", port: { number: 80 } } } },
                ],
              },
            },
          ],
        }),
        create(namespaced("apis/networking.k8s.io/v1", "networkpolicies"), "policy", {
          podSelector: {},
          ingress: [{ ports: [{ port: 80 }] }],
        }),
      ],
    },
    {
      id: "other-defaults",
      steps: [
        create(namespaced("api/v1", "persistentvolumeclaims"), "claim", {
          accessModes: ["ReadWriteOnce"],
          resources: { requests: { storage: "1024Mi" } },
        }),
        create("/api/v1/persistentvolumes", "pv-${run}", {
          accessModes: ["ReadWriteOnce"],
          capacity: { storage: "1Gi" },
          hostPath: { path: "/x" },
        }),
        create("/apis/storage.k8s.io/v1/storageclasses", "sc-${run}", undefined, { provisioner: "example.com/p" }),
        create("/apis/scheduling.k8s.io/v1/priorityclasses", "pc-${run}", undefined, { value: 5 }),
        create("/api/v1/nodes", "node-${run}", { podCIDR: "10.8.0.0/24" }),
        create(namespaced("api/v1", "limitranges"), "range", { limits: [{ type: "Container", max: { cpu: "2" } }] }),
        create(namespaced("api/v1", "serviceaccounts"), "account", undefined, {}),
        create(namespaced("apis/rbac.authorization.k8s.io/v1", "roles"), "role", undefined, {
          rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }],
        }),
        create(namespaced("apis/rbac.authorization.k8s.io/v1", "rolebindings"), "binding", undefined, {
          roleRef: { kind: "Role", name: "role" },
          subjects: [
            { kind: "User", name: "x" },
            { kind: "ServiceAccount", name: "account" },
          ],
        }),
        create("/api/v1/namespaces", "other-${run}", undefined),
      ],
    },
  ],
};
