// SPDX-License-Identifier: Apache-2.0
import type { DraftObject } from "../../apiserver/json/json.ts";
import type { SeededRandom } from "../../base/random.ts";
import type { Workload } from "./scenario-file.ts";

/** One object of the scenario and its resource. */
export interface ScenarioObject {
  readonly resource: string;
  readonly object: DraftObject;
}

const resources: Readonly<Record<Workload["kind"], string>> = {
  Deployment: "apps/deployments",
  StatefulSet: "apps/statefulsets",
  DaemonSet: "apps/daemonsets",
  CronJob: "batch/cronjobs",
};

/** The workload and its Service for one cluster. */
export function buildWorkload(workload: Workload, random: SeededRandom): readonly ScenarioObject[] {
  const { namespace, name, kind, port, service = "ClusterIP" } = workload;
  const labels = { "app.kubernetes.io/name": name, "app.kubernetes.io/part-of": namespace };
  const selector = { "app.kubernetes.io/name": name };
  const [fewest, most] = workload.replicas ?? [1, 1];
  const replicas = fewest + random.int(most - fewest + 1);
  const template = { metadata: { labels }, spec: podSpec(workload, random) };
  const objects: ScenarioObject[] = [
    { resource: resources[kind], object: { metadata: { name, namespace, labels }, spec: specOf() } },
  ];
  if (port !== undefined && kind !== "DaemonSet")
    objects.push({
      resource: "services",
      object: {
        metadata: { name, namespace, labels },
        spec: {
          type: service === "LoadBalancer" ? "LoadBalancer" : "ClusterIP",
          ...(service === "Headless" ? { clusterIP: "None" } : {}),
          selector,
          ports: [{ name: port === 53 ? "dns" : "http", port, targetPort: port, protocol: "TCP" }],
        },
      },
    });
  return objects;

  function specOf(): DraftObject {
    if (kind === "CronJob")
      return {
        schedule: workload.schedule ?? "0 * * * *",
        concurrencyPolicy: "Forbid",
        jobTemplate: {
          metadata: {},
          spec: { backoffLimit: 2, template: { ...template, spec: { ...template.spec, restartPolicy: "OnFailure" } } },
        },
      };
    const base = { selector: { matchLabels: selector }, template };
    if (kind === "DaemonSet") return base;
    if (kind === "Deployment") return { ...base, replicas };
    const claim = {
      metadata: { name: "data" },
      spec: {
        accessModes: ["ReadWriteOnce"],
        storageClassName: "standard",
        resources: { requests: { storage: workload.storage ?? "1Gi" } },
      },
    };
    return {
      ...base,
      replicas,
      serviceName: name,
      volumeClaimTemplates: workload.storage === undefined ? [] : [claim],
    };
  }
}

function podSpec({ name, image, port, storage, isProbed = false }: Workload, random: SeededRandom): DraftObject {
  const tag = `${1 + random.int(3)}.${random.int(20)}.${random.int(10)}`;
  return {
    containers: [
      {
        name,
        image: `${image}:${tag}`,
        ...(port === undefined ? {} : { ports: [{ name: "main", containerPort: port }] }),
        ...(isProbed && port !== undefined
          ? { readinessProbe: { httpGet: { path: "/healthz", port }, initialDelaySeconds: 1, periodSeconds: 5 } }
          : {}),
        ...(storage === undefined ? {} : { volumeMounts: [{ name: "data", mountPath: "/var/lib/data" }] }),
        resources: {
          requests: { cpu: `${50 * (1 + random.int(6))}m`, memory: `${64 * (1 + random.int(6))}Mi` },
          limits: { memory: "512Mi" },
        },
      },
    ],
  };
}
