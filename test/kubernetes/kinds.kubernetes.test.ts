// SPDX-License-Identifier: Apache-2.0
// Every core kind on objects that real controllers have made.
import { afterAll, beforeAll, expect, test } from "vitest";
import { coreKinds } from "../../src/kinds/core-kinds.ts";
import { EventWindow } from "../../src/kinds/event-window.ts";
import type { Kind } from "../../src/kinds/kind.ts";
import { projectRow } from "../../src/kinds/project-row.ts";
import { secretKind } from "../../src/kinds/secret-kind.ts";
import { parseClusterId } from "../../src/model/cluster-id.ts";
import { createHasher } from "../../src/model/rows/hasher.ts";
import type { Row } from "../../src/model/rows/row.ts";
import { RowSealer } from "../../src/model/rows/row-sealer.ts";
import { describeOnKit } from "./describe-on-kit.ts";
import type { KubeClient } from "./kube-client.ts";
import { type KubernetesCluster, startCluster } from "./start-cluster.ts";

const hasher = await createHasher();
const marker = "do-not-send";
const labels = { app: "web" };
const container = {
  name: "web",
  image: "example.invalid/web:1",
  command: ["/bin/server", marker],
  args: [marker],
  env: [{ name: "PASSWORD", value: marker }],
  resources: { requests: { cpu: "10m" } },
};
const template = { metadata: { labels }, spec: { containers: [container] } };
const annotations = { "example.com/note": marker };
const core = "/api/v1/namespaces/default";
const apps = "/apis/apps/v1/namespaces/default";
const batch = "/apis/batch/v1/namespaces/default";
const held = "flotilla.dev/held";

function workload(name: string, spec: object): object {
  return {
    metadata: { name, annotations },
    spec: { selector: { matchLabels: { ...labels, is: name } }, template: templateOf(name), ...spec },
  };
}

function templateOf(name: string): object {
  return { ...template, metadata: { labels: { ...labels, is: name }, annotations } };
}

const jobTemplate = { ...template, spec: { containers: [container], restartPolicy: "Never" } };
const backend = { service: { name: "web", port: { number: 80 } } };

/** Where each object goes. */
const objects: readonly (readonly [path: string, body: object])[] = [
  [`${apps}/deployments`, workload("web", { replicas: 2 })],
  [`${apps}/deployments`, workload("off", { replicas: 0 })],
  [`${apps}/statefulsets`, workload("db", { replicas: 2, serviceName: "db" })],
  [`${apps}/daemonsets`, workload("each-node", {})],
  [`${batch}/jobs`, { metadata: { name: "report" }, spec: { template: jobTemplate } }],
  [
    `${batch}/cronjobs`,
    {
      metadata: { name: "nightly" },
      spec: { schedule: "0 3 * * *", suspend: true, jobTemplate: { spec: { template: jobTemplate } } },
    },
  ],
  [
    `${core}/services`,
    {
      metadata: { name: "web" },
      spec: { selector: { ...labels, is: "web" }, ports: [{ name: "http", port: 80, targetPort: 8080 }] },
    },
  ],
  [
    "/apis/networking.k8s.io/v1/namespaces/default/ingresses",
    {
      metadata: { name: "web" },
      spec: { rules: [{ host: "shop.example", http: { paths: [{ path: "/", pathType: "Prefix", backend }] } }] },
    },
  ],
  [
    `${core}/persistentvolumeclaims`,
    {
      metadata: { name: "data" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    },
  ],
  [
    "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers",
    {
      metadata: { name: "web" },
      spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" }, maxReplicas: 5 },
    },
  ],
  [
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    {
      metadata: { name: "widgets.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: "widgets", kind: "Widget" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: "object", description: marker } },
          },
        ],
      },
    },
  ],
  [`${core}/configmaps`, { metadata: { name: "held", finalizers: [held] }, data: { "app.conf": marker } }],
  [`${core}/secrets`, { metadata: { name: "web" }, stringData: { password: marker } }],
  [
    `${core}/pods`,
    {
      metadata: { name: "too-large" },
      spec: { containers: [{ ...container, resources: { requests: { cpu: "100000" } } }] },
    },
  ],
];

/** All rows of a kind, checked and hashed. */
async function listRows(client: KubeClient, kind: Kind): Promise<readonly Row[]> {
  const { group, resource } = kind.resource;
  const prefix = group === "" ? "/api/v1" : `/apis/${group}/${kind.versions[0] ?? ""}`;
  const { items } = (await client.ask("GET", `${prefix}/${resource}`)) as { readonly items: readonly unknown[] };
  const sealer = new RowSealer(parseClusterId("prod-east"), kind.resource, hasher);
  const observation = { facts: { meshRootNamespaces: new Set<string>() }, terminatingForMs: 0 };
  return items.map((object) => sealer.seal(projectRow(kind, object, observation)));
}

function kindOf(name: string): Kind {
  const found = coreKinds.find(({ kind }) => kind === name);
  if (found === undefined) throw new Error(`no core kind ${name}`);
  return found;
}

describeOnKit("rows of core kinds", ["controllers", "kwok"], (kit) => {
  let cluster: KubernetesCluster;
  let client: KubeClient;

  beforeAll(async () => {
    cluster = await startCluster({ kit, controllers: true, kwok: true });
    client = cluster.connect();
    for (const [path, body] of objects) await client.ask("POST", path, { body });
  });

  afterAll(async () => {
    await cluster.stop();
  });

  const statusOf = async (kind: string, name: string): Promise<string | undefined> =>
    (await listRows(client, kindOf(kind))).find((row) => row.name === name)?.status;

  test("[CO16] what a rollout makes is never called unhealthy on its way up", async () => {
    const seen = new Set<string>();
    const watchedKinds = ["Deployment", "ReplicaSet", "Job"].map(kindOf);
    const lookOnce = async (): Promise<string | undefined> => {
      for (const kind of watchedKinds) for (const { status } of await listRows(client, kind)) seen.add(status);
      return statusOf("Deployment", "web");
    };
    await expect.poll(lookOnce, { timeout: 30_000, interval: 20 }).toBe("healthy");
    expect([...seen]).not.toContain("unhealthy");
  });

  test.each([
    ["Deployment", "web", "healthy"],
    ["Deployment", "off", "suspended"],
    ["StatefulSet", "db", "healthy"],
    ["DaemonSet", "each-node", "healthy"],
    ["Job", "report", "completed"],
    ["CronJob", "nightly", "suspended"],
    ["Service", "web", "healthy"],
    ["Ingress", "web", "healthy"],
    ["PersistentVolumeClaim", "data", "progressing"],
    ["HorizontalPodAutoscaler", "web", "unhealthy"],
    ["CustomResourceDefinition", "widgets.example.com", "healthy"],
    ["Node", "kwok-1", "healthy"],
    ["Namespace", "default", "healthy"],
    ["Pod", "too-large", "unhealthy"],
    ["Pod", "db-1", "healthy"],
    ["ClusterRole", "view", "healthy"],
  ])("a %s %s becomes %s", async (kind, name, status) => {
    await expect.poll(() => statusOf(kind, name), { timeout: 30_000, interval: 100 }).toBe(status);
  });

  test("[N-10] [N-11] the Pods of a Deployment are healthy, and its EndpointSlice has them all", async () => {
    const pods = (await listRows(client, kindOf("Pod"))).filter(({ labels: all }) => all.get("is") === "web");
    expect(
      pods.map(({ status, columns }) => [status, columns.get("phase"), columns.get("ready"), columns.get("node")]),
    ).toEqual(pods.map(() => ["healthy", "Running", "1/1", "kwok-1"]));
    const targets = async (): Promise<readonly unknown[]> => {
      const slices = await listRows(client, kindOf("EndpointSlice"));
      const slice = slices.find(({ columns }) => columns.get("service") === "web");
      const texts = slice?.columns.get("endpoints");
      return (typeof texts === "object" ? texts : []).map((text): unknown => JSON.parse(text));
    };
    const expected = pods.map(({ name, columns }): unknown =>
      expect.objectContaining({ targetName: name, addresses: columns.get("podIps"), ready: true }),
    );
    expect(pods).toHaveLength(2);
    await expect.poll(targets, { timeout: 10_000, interval: 100 }).toEqual(expect.arrayContaining(expected));
  });

  test("[KI1] [L18] every object of every kind has a row, none is cut, and none holds what must stay", async () => {
    for (const kind of [...coreKinds, secretKind]) {
      const rows = await listRows(client, kind);
      const text = JSON.stringify(rows, (_, value: unknown) => {
        if (typeof value === "bigint") return value.toString();
        return value instanceof Map ? [...value] : value;
      });
      expect([kind.kind, rows.filter(({ columns }) => columns.has("cut")).map(({ name }) => name)]).toEqual([
        kind.kind,
        [],
      ]);
      expect([kind.kind, text.includes(marker)]).toEqual([kind.kind, false]);
    }
  });

  test("[KI15] a warning of the scheduler gets its row in the window", async () => {
    const warnings = async (): Promise<readonly unknown[]> => {
      const { items } = (await client.ask("GET", "/api/v1/events")) as { readonly items: readonly unknown[] };
      const window = new EventWindow();
      for (const object of items) window.apply(object, 0);
      return window.rows().map(({ reason, columns }) => [reason, columns.get("objectName"), columns.get("controller")]);
    };
    const expected = ["FailedScheduling", "too-large", "default-scheduler"];
    await expect.poll(warnings, { timeout: 10_000, interval: 100 }).toContainEqual(expected);
  });

  test("[KI9] an object that a finalizer holds is terminating", async () => {
    await client.ask("DELETE", `${core}/configmaps/held`);
    expect(await statusOf("ConfigMap", "held")).toBe("terminating");
    const patch = {
      body: { metadata: { finalizers: null } },
      headers: { "content-type": "application/merge-patch+json" },
    };
    await client.ask("PATCH", `${core}/configmaps/held`, patch);
    await expect.poll(() => statusOf("ConfigMap", "held"), { timeout: 10_000, interval: 100 }).toBeUndefined();
  });
});
