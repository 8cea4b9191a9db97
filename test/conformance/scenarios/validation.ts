// SPDX-License-Identifier: Apache-2.0
import type { Step, Topic } from "../scenario.ts";
import { deployment, deployments, makeServiceAccount, mergePatch, pod, podSpec, pods, services } from "./bodies.ts";

const roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/${ns}";
const jobs = "/apis/batch/v1/namespaces/${ns}/jobs";

function refused(name: string, path: string, body: unknown): Step {
  return { name, method: "POST", path, body };
}

function patch(name: string, path: string, body: unknown): Step {
  return { name, method: "PATCH", path, headers: mergePatch, body };
}

const withTemplate = (name: string, spec: object): unknown =>
  deployment(name, { template: { metadata: { labels: { app: name } }, spec } });

/** Invalid objects of the kinds that people write daily, and fields that cannot change. */
export const validation: Topic = {
  name: "validation",
  scenarios: [
    {
      id: "invalid-workloads",
      steps: [
        refused("no spec", deployments, { metadata: { name: "d" } }),
        refused("negative replicas", deployments, deployment("d", { replicas: -1 })),
        refused("selector does not match", deployments, deployment("d", { selector: { matchLabels: { app: "x" } } })),
        refused("no selector", deployments, deployment("d", { selector: null })),
        refused("bad strategy", deployments, deployment("d", { strategy: { type: "Sideways" } })),
        refused(
          "both limits zero",
          deployments,
          deployment("d", { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }),
        ),
        refused(
          "recreate with limits",
          deployments,
          deployment("d", { strategy: { type: "Recreate", rollingUpdate: { maxSurge: 1 } } }),
        ),
        refused("no containers", deployments, withTemplate("d", { containers: [] })),
        refused("no image", deployments, withTemplate("d", { containers: [{ name: "c" }] })),
        refused(
          "two of one name",
          deployments,
          withTemplate("d", {
            containers: [
              { name: "c", image: "a" },
              { name: "c", image: "b" },
            ],
          }),
        ),
        refused(
          "bad container",
          deployments,
          withTemplate("d", {
            containers: [
              {
                name: "C_1",
                image: " ",
                ports: [{ containerPort: 99999, protocol: "XYZ" }],
                env: [{ name: "" }],
                imagePullPolicy: "Sometimes",
                volumeMounts: [{ name: "none", mountPath: "/x" }],
                resources: { requests: { cpu: "2" }, limits: { cpu: "1" } },
              },
            ],
          }),
        ),
        refused(
          "bad restart policy",
          deployments,
          withTemplate("d", { restartPolicy: "Never", containers: [{ name: "c", image: "a" }] }),
        ),
        refused("job without a restart policy", jobs, {
          metadata: { name: "j" },
          spec: { template: { spec: { containers: [{ name: "c", image: "a" }] } } },
        }),
        refused("job with negative numbers", jobs, {
          metadata: { name: "j" },
          spec: {
            parallelism: -1,
            completions: -1,
            backoffLimit: -1,
            template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "a" }] } },
          },
        }),
        refused("cronjob with a bad schedule", "/apis/batch/v1/namespaces/${ns}/cronjobs", {
          metadata: { name: "j" },
          spec: {
            schedule: "whenever",
            concurrencyPolicy: "Maybe",
            jobTemplate: {
              spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "a" }] } } },
            },
          },
        }),
        refused("bad autoscaler", "/apis/autoscaling/v2/namespaces/${ns}/horizontalpodautoscalers", {
          metadata: { name: "h" },
          spec: { maxReplicas: 0, scaleTargetRef: {} },
        }),
        refused("bad budget", "/apis/policy/v1/namespaces/${ns}/poddisruptionbudgets", {
          metadata: { name: "b" },
          spec: { minAvailable: 1, maxUnavailable: 1 },
        }),
      ],
    },
    {
      id: "invalid-network",
      steps: [
        refused("service without ports", services, { metadata: { name: "s" }, spec: {} }),
        refused("service with bad ports", services, {
          metadata: { name: "s" },
          spec: { ports: [{ port: 0 }, { port: 70000, protocol: "X" }] },
        }),
        refused("service of a bad type", services, {
          metadata: { name: "s" },
          spec: { type: "Magic", ports: [{ port: 80 }] },
        }),
        refused("service with a bad address", services, {
          metadata: { name: "s" },
          spec: { clusterIP: "1.2.3", ports: [{ port: 80 }] },
        }),
        refused("service with an address out of range", services, {
          metadata: { name: "s" },
          spec: { clusterIP: "172.16.0.1", ports: [{ port: 80 }] },
        }),
        refused("external name without a name", services, { metadata: { name: "s" }, spec: { type: "ExternalName" } }),
        refused("service with a bad name", services, { metadata: { name: "1s" }, spec: { ports: [{ port: 80 }] } }),
        refused("two ports alike", services, {
          metadata: { name: "s" },
          spec: {
            ports: [
              { name: "a", port: 80 },
              { name: "a", port: 80 },
            ],
          },
        }),
        refused("empty ingress", "/apis/networking.k8s.io/v1/namespaces/${ns}/ingresses", {
          metadata: { name: "i" },
          spec: {},
        }),
        refused("ingress with a bad path", "/apis/networking.k8s.io/v1/namespaces/${ns}/ingresses", {
          metadata: { name: "i" },
          spec: { rules: [{ host: "*", http: { paths: [{ path: "x", pathType: "Exact", backend: {} }] } }] },
        }),
        refused("bad endpoint slice", "/apis/discovery.k8s.io/v1/namespaces/${ns}/endpointslices", {
          metadata: { name: "e" },
          addressType: "IPv4",
          endpoints: [{ addresses: ["x"] }],
        }),
      ],
    },
    {
      id: "invalid-others",
      steps: [
        refused("claim without anything", "/api/v1/namespaces/${ns}/persistentvolumeclaims", {
          metadata: { name: "c" },
          spec: {},
        }),
        refused("volume without a source", "/api/v1/persistentvolumes", { metadata: { name: "v-${run}" }, spec: {} }),
        refused("class without a provisioner", "/apis/storage.k8s.io/v1/storageclasses", {
          metadata: { name: "c-${run}" },
        }),
        refused("priority too high", "/apis/scheduling.k8s.io/v1/priorityclasses", {
          metadata: { name: "p-${run}" },
          value: 2_000_000_000,
        }),
        refused("role without verbs", `${roles}/roles`, {
          metadata: { name: "r" },
          rules: [{ apiGroups: [""], resources: ["pods"] }],
        }),
        refused("role with URLs", `${roles}/roles`, {
          metadata: { name: "r" },
          rules: [{ nonResourceURLs: ["/x"], verbs: ["get"] }],
        }),
        refused("binding without a role", `${roles}/rolebindings`, { metadata: { name: "r" } }),
        refused("binding with bad subjects", `${roles}/rolebindings`, {
          metadata: { name: "r" },
          roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "x" },
          subjects: [
            { kind: "Robot", name: "x" },
            { kind: "ServiceAccount", name: "x" },
          ],
        }),
        refused("quota with a negative amount", "/api/v1/namespaces/${ns}/resourcequotas", {
          metadata: { name: "q" },
          spec: { hard: { pods: "-1" } },
        }),
        refused("namespace with a bad name", "/api/v1/namespaces", { metadata: { name: "a.b" } }),
      ],
    },
    {
      id: "immutable-fields",
      steps: [
        { name: "a deployment", method: "POST", path: deployments, body: deployment("d") },
        patch("its selector", `${deployments}/d`, {
          spec: { selector: { matchLabels: { b: "c" } }, template: { metadata: { labels: { b: "c" } } } },
        }),
        {
          name: "a service",
          method: "POST",
          path: services,
          body: { metadata: { name: "s" }, spec: { ports: [{ port: 80 }] } },
        },
        // The address of the Service `kubernetes`: one that this Service cannot have been given.
        patch("its address", `${services}/s`, { spec: { clusterIP: "10.0.0.1" } }),
        patch("its address taken away", `${services}/s`, { spec: { clusterIP: "" } }),
        patch("its type", `${services}/s`, { spec: { type: "NodePort" } }),
        {
          name: "a job",
          method: "POST",
          path: jobs,
          body: {
            metadata: { name: "j" },
            spec: {
              suspend: true,
              template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "a" }] } },
            },
          },
          pick: ["spec.suspend"],
        },
        patch("its completions", `${jobs}/j`, { spec: { completions: 5 } }),
        {
          name: "a stateful set",
          method: "POST",
          path: "/apis/apps/v1/namespaces/${ns}/statefulsets",
          body: { ...deployment("s"), kind: "StatefulSet" },
        },
        patch("its service name", "/apis/apps/v1/namespaces/${ns}/statefulsets/s", { spec: { serviceName: "x" } }),
        makeServiceAccount,
        { name: "a pod", method: "POST", path: pods, body: pod("p") },
        patch("its restart policy", `${pods}/p`, { spec: { restartPolicy: "Never" } }),
        patch("its containers", `${pods}/p`, { spec: { ...podSpec, containers: [{ name: "other", image: "nginx" }] } }),
        {
          name: "a binding",
          method: "POST",
          path: `${roles}/rolebindings`,
          body: { metadata: { name: "b" }, roleRef: { kind: "ClusterRole", name: "view" } },
        },
        patch("its role", `${roles}/rolebindings/b`, { roleRef: { name: "edit" } }),
        {
          name: "a claim",
          method: "POST",
          path: "/api/v1/namespaces/${ns}/persistentvolumeclaims",
          body: {
            metadata: { name: "c" },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
          },
        },
        patch("its access modes", "/api/v1/namespaces/${ns}/persistentvolumeclaims/c", {
          spec: { accessModes: ["ReadOnlyMany"] },
        }),
      ],
    },
  ],
};
