// SPDX-License-Identifier: Apache-2.0

/**
 * Bytes of a ConfigMap's content, so that the object as it is stored has 1.4 KB: what a Deployment of one container
 * has, too.
 */
const contentBytes = 1100;

/** Objects go into so many namespaces. */
export const namespaceCount = 10;

/** A resource that is written: where, and what. */
export interface ObjectKind {
  readonly name: string;
  /** The collection in a namespace. */
  collection(namespace: string): string;
  /** The JSON text of an object; another `version` is another content. */
  text(name: string, version: number): string;
}

export function namespaceOf(serial: number): string {
  return `bench-${serial % namespaceCount}`;
}

function metadata(name: string, version: number): Readonly<Record<string, unknown>> {
  return {
    name,
    labels: { "app.kubernetes.io/name": name, "app.kubernetes.io/part-of": "bench", tier: "backend" },
    annotations: { "bench.flotilla.dev/version": String(version) },
  };
}

const filler = "0123456789abcdef".repeat(contentBytes / 16);

export const configMaps: ObjectKind = {
  name: "ConfigMap",
  collection: (namespace) => `/api/v1/namespaces/${namespace}/configmaps`,
  text: (name, version) =>
    JSON.stringify({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: metadata(name, version),
      data: { "config.yaml": `version: ${version}\ncontent: ${filler}\n`, "log-level": "info" },
    }),
};

/** A Deployment as people write it: probes, resources, environment, a volume. */
export const deployments: ObjectKind = {
  name: "Deployment",
  collection: (namespace) => `/apis/apps/v1/namespaces/${namespace}/deployments`,
  text: (name, version) => {
    const labels = { app: name, "app.kubernetes.io/part-of": "bench" };
    const probe = (path: string): object => ({ httpGet: { path, port: "http" }, periodSeconds: 10 });
    const container = {
      name: "web",
      image: `registry.example.com/team/web:1.${version}`,
      args: ["--listen=:8080", "--log-level=info"],
      ports: [{ name: "http", containerPort: 8080 }],
      env: [
        { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        { name: "DATABASE_URL", valueFrom: { secretKeyRef: { name: "database", key: "url" } } },
        { name: "FEATURES", value: "search,export" },
      ],
      resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "256Mi" } },
      readinessProbe: probe("/readyz"),
      livenessProbe: probe("/healthz"),
      volumeMounts: [{ name: "config", mountPath: "/etc/web", readOnly: true }],
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
    };
    return JSON.stringify({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: metadata(name, version),
      spec: {
        replicas: 3,
        selector: { matchLabels: labels },
        strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
        template: {
          metadata: { labels },
          spec: { containers: [container], volumes: [{ name: "config", configMap: { name: `${name}-config` } }] },
        },
      },
    });
  },
};
