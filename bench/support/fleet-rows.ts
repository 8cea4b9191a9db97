// SPDX-License-Identifier: Apache-2.0
// Rows as a fleet of web services has them: pods, deployments and services with the labels people give them.
import { createSeededRandom } from "../../src/base/random.ts";
import { parseClusterId } from "../../src/model/cluster-id.ts";
import { parseResourceId } from "../../src/model/gvr.ts";
import type { RowBatchContent } from "../../src/model/row-batch/encode.ts";
import type { Hasher } from "../../src/model/rows/hasher.ts";
import { type ColumnSpec, type ColumnValue, type RowContent, toResourceVersion } from "../../src/model/rows/row.ts";
import { RowSealer } from "../../src/model/rows/row-sealer.ts";

/**
 * Apps of the whole mix of 100,000 rows; some 70 pods to 15 workloads and 15 services, as in a cluster of web services.
 */
const wholeAppCount = 15_000;

let random: () => number = () => 0;

function pick<Value>(values: readonly [Value, ...Value[]]): Value {
  return values[Math.floor(random() * values.length)] ?? values[0];
}

function letters(alphabet: string, length: number): string {
  return Array.from({ length }, () => alphabet.charAt(Math.floor(random() * alphabet.length))).join("");
}

function uuid(): string {
  const hex = letters("0123456789abcdef", 32);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}

interface App {
  readonly namespace: string;
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly image: string;
  readonly isSick: boolean;
}

const parts = ["checkout", "cart", "search", "billing", "ledger", "media", "auth", "catalog", "mail", "risk"] as const;
const roles = ["api", "worker", "frontend", "cache", "sync", "gateway", "cron"] as const;

function createApp(at: number): App {
  const part = pick(parts);
  const name = `${part}-${pick(roles)}-${at}`;
  const version = `${Math.floor(random() * 4)}.${Math.floor(random() * 30)}.${Math.floor(random() * 10)}`;
  return {
    namespace: `team-${part}-${Math.floor(random() * 40)}`,
    name,
    labels: new Map([
      ["app.kubernetes.io/instance", name],
      ["app.kubernetes.io/managed-by", "Helm"],
      ["app.kubernetes.io/name", part],
      ["app.kubernetes.io/version", version],
      ["team", part],
    ]),
    image: `registry.example.com/${part}/${name}:${version}`,
    isSick: random() < 0.03,
  };
}

function baseContent(namespace: string, name: string): RowContent {
  return {
    namespace,
    name,
    uid: uuid(),
    resourceVersion: toResourceVersion(String(400_000_000 + Math.floor(random() * 90_000_000))),
    generation: 1 + Math.floor(random() * 9),
    createdAt: Date.UTC(2025, 0, 1) + Math.floor(random() * 31_536_000) * 1000,
    status: "healthy",
    reason: "",
    message: "",
    labels: new Map(),
    annotations: new Map(),
    columns: new Map(),
  };
}

const crash = {
  status: "unhealthy",
  reason: "CrashLoopBackOff",
  message: "back-off 5m0s restarting failed container=main",
} as const;

function createPods(app: App): RowContent[] {
  const hash = letters("bcdfghjklmnpqrstvwxz2456789", 9);
  const owner = { group: "apps", kind: "ReplicaSet", name: `${app.name}-${hash}`, uid: uuid() };
  const labels = new Map([...app.labels, ["pod-template-hash", hash]]);
  return Array.from({ length: 1 + Math.floor(random() * 8.3) }, () => ({
    ...baseContent(app.namespace, `${owner.name}-${letters("bcdfghjklmnpqrstvwxz2456789", 5)}`),
    ...(app.isSick ? crash : {}),
    labels,
    owner,
    columns: new Map<string, ColumnValue>([
      ["phase", "Running"],
      ["node", `ip-10-0-${Math.floor(random() * 4)}-${Math.floor(random() * 100)}.ec2.internal`],
      ["podIp", `10.${Math.floor(random() * 4)}.${Math.floor(random() * 256)}.${Math.floor(random() * 256)}`],
      ["restarts", app.isSick ? Math.floor(random() * 200) : 0],
      ["readyContainers", app.isSick ? 0 : 2],
      ["containers", 2],
      ["qosClass", "Burstable"],
      ["images", [app.image, "docker.io/istio/proxyv2:1.24.1"]],
    ]),
  }));
}

function createDeployment(app: App): RowContent {
  const replicas = 1 + Math.floor(random() * 8);
  return {
    ...baseContent(app.namespace, app.name),
    ...(app.isSick ? { status: "degraded", reason: "MinimumReplicasUnavailable" } : {}),
    labels: app.labels,
    annotations: new Map([["deployment.kubernetes.io/revision", String(1 + Math.floor(random() * 40))]]),
    columns: new Map<string, ColumnValue>([
      ["replicas", replicas],
      ["readyReplicas", app.isSick ? replicas - 1 : replicas],
      ["updatedReplicas", replicas],
      ["availableReplicas", app.isSick ? replicas - 1 : replicas],
      ["images", [app.image]],
      ["strategy", "RollingUpdate"],
    ]),
  };
}

function createService(app: App): RowContent {
  return {
    ...baseContent(app.namespace, app.name),
    labels: app.labels,
    columns: new Map<string, ColumnValue>([
      ["type", "ClusterIP"],
      ["clusterIp", `172.20.${Math.floor(random() * 256)}.${Math.floor(random() * 256)}`],
      ["ports", ["http TCP 80 8080", "metrics TCP 9090 metrics"]],
      ["selector", [`app.kubernetes.io/instance=${app.name}`]],
    ]),
  };
}

function specsOf(rows: readonly RowContent[]): ColumnSpec[] {
  const specs = new Map<string, ColumnSpec>();
  for (const row of rows)
    for (const [name, value] of row.columns) {
      if (specs.has(name)) continue;
      const type = typeof value === "string" ? "string" : typeof value === "number" ? "integer" : "stringList";
      specs.set(name, { name, type });
    }
  return [...specs.values()];
}

function listKey(row: RowContent): string {
  return `${row.namespace}/${row.name}`;
}

function createContent(
  hasher: Hasher,
  resourceText: string,
  kind: string,
  contents: readonly RowContent[],
): RowBatchContent {
  const id = parseResourceId(resourceText);
  const sealer = new RowSealer(parseClusterId("prod-east"), id, hasher);
  // In the order of an API server's list.
  const rows = contents.map((content) => sealer.seal(content)).sort((a, b) => (listKey(a) < listKey(b) ? -1 : 1));
  return { resource: id, kind, columns: specsOf(contents), rows, deletes: [] };
}

/** The mix: three kinds, the same rows at every call; of fewer apps for smaller clusters. */
export function createFleetRows(hasher: Hasher, appCount = wholeAppCount): RowBatchContent[] {
  const seeded = createSeededRandom(20_260_101);
  random = () => seeded.next();
  const apps = Array.from({ length: appCount }, (_, at) => createApp(at));
  return [
    createContent(hasher, "pods", "Pod", apps.flatMap(createPods).slice(0, (appCount * 14) / 3)),
    createContent(hasher, "apps/deployments", "Deployment", apps.map(createDeployment)),
    createContent(hasher, "services", "Service", apps.map(createService)),
  ];
}
