// SPDX-License-Identifier: Apache-2.0
// The rows of one app in one namespace: a Deployment with its ReplicaSets and Pods, and what stands around it.

import { configMapKind } from "../../src/kinds/config-map-kind.ts";
import { deploymentKind } from "../../src/kinds/deployment-kind.ts";
import { endpointSliceKind } from "../../src/kinds/endpoint-slice-kind.ts";
import { eventKind } from "../../src/kinds/event-kind.ts";
import { horizontalPodAutoscalerKind } from "../../src/kinds/horizontal-pod-autoscaler-kind.ts";
import { ingressKind } from "../../src/kinds/ingress-kind.ts";
import { type Kind } from "../../src/kinds/kind.ts";
import { podKind } from "../../src/kinds/pod-kind.ts";
import { replicaSetKind } from "../../src/kinds/replica-set-kind.ts";
import { serviceKind } from "../../src/kinds/service-kind.ts";
import type { ColumnValue, Owner, RowContent } from "../../src/model/rows/row.ts";
import { nowMs } from "./fleet-shape.ts";
import type { RowSource } from "./row-source.ts";

/** Takes the rows of a cluster as they are made. */
export type AddRow = (kind: Kind, row: RowContent) => void;

export interface App {
  readonly namespace: string;
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly image: string;
  /** Why its Pods fail; undefined for an app that works. */
  readonly fault: Fault | undefined;
}

interface Fault {
  readonly reason: string;
  readonly message: string;
  readonly weight: number;
}

/** The failures of Pods, the most frequent first. */
const faults: readonly Fault[] = [
  { reason: "CrashLoopBackOff", message: "back-off 5m0s restarting failed container=main", weight: 10 },
  { reason: "ImagePullBackOff", message: "Back-off pulling image", weight: 5 },
  { reason: "OOMKilled", message: "container main used more memory than its limit", weight: 3 },
  { reason: "Unschedulable", message: "0/40 nodes are available: 40 Insufficient cpu", weight: 2 },
];

/** The share of apps whose Pods fail: about 3 % of all rows are unhealthy then. */
const faultyShare = 0.09;

/** The products of the fleet. An app is named after one and a role. */
export const products: readonly string[] = [
  "cart",
  "order",
  "price",
  "stock",
  "user",
  "mail",
  "image",
  "search",
  "token",
  "report",
  "export",
  "web",
];
export const roles: readonly string[] = [
  "api",
  "worker",
  "frontend",
  "cache",
  "sync",
  "gateway",
  "cron",
  "proxy",
  "admin",
  "stream",
];

/** Where an app runs. */
interface AppPlace {
  readonly namespace: string;
  readonly team: string;
  readonly environment: string;
}

/** Draws an app. Its name may be that of another app of the namespace. */
export function createApp(source: RowSource, place: AppPlace): App {
  const product = source.pick(products);
  const app = `${product}-${source.pick(roles)}`;
  const version = `${1 + source.int(3)}.${source.int(20)}.${source.int(6)}`;
  const isFaulty = source.chance(faultyShare);
  return {
    namespace: place.namespace,
    name: app,
    labels: new Map([
      ["app", app],
      ["app.kubernetes.io/managed-by", "Helm"],
      ["app.kubernetes.io/version", version],
      ["env", place.environment],
      ["team", place.team],
      ["tier", source.pick(["gold", "silver", "bronze"])],
    ]),
    image: `registry.example.com/${product}/${app}:${version}`,
    fault: isFaulty ? drawFault(source) : undefined,
  };
}

function drawFault(source: RowSource): Fault {
  return source.pick(faults.flatMap((fault) => Array.from({ length: fault.weight }, () => fault)));
}

/** Adds all rows of an app. */
export function addApp(source: RowSource, app: App, add: AddRow): void {
  const wanted = 1 + source.int(4);
  const deployment = createDeployment(source, app, wanted);
  add(deploymentKind, deployment);
  const owner = ownerOf(deploymentKind, deployment);
  if (source.chance(0.4)) add(replicaSetKind, createReplicaSet(source, app, owner, 0));
  const replicaSet = createReplicaSet(source, app, owner, wanted);
  add(replicaSetKind, replicaSet);
  const pods = Array.from({ length: wanted }, () => createPod(source, app, replicaSet));
  for (const pod of pods) add(podKind, pod);
  if (source.chance(0.6)) addService(source, app, pods, add);
  if (source.chance(0.5)) add(configMapKind, createConfigMap(source, app));
  if (source.chance(0.15)) add(horizontalPodAutoscalerKind, createAutoscaler(source, app, wanted));
  const [pod] = pods;
  if (pod !== undefined && (app.fault !== undefined || source.chance(0.3)))
    add(eventKind, createEvent(source, app, pod));
}

function ownerOf({ resource, kind }: Kind, { name, uid }: RowContent): Owner {
  return { group: resource.group, kind, name, uid };
}

function createDeployment(source: RowSource, app: App, wanted: number): RowContent {
  const available = app.fault === undefined ? wanted : 0;
  return {
    ...source.row(app.namespace, app.name),
    ...(available === wanted ? draining(source) : noneAvailable(wanted)),
    labels: app.labels,
    columns: new Map<string, ColumnValue>([
      ["replicas", wanted],
      ["updated", wanted],
      ["ready", available],
      ["available", available],
      ["strategy", "RollingUpdate"],
      ["containers", ["main"]],
      ["images", [app.image]],
      ["selector", [`app=${app.labels.get("app")}`]],
    ]),
  };
}

/** Some healthy workloads are in a rollout. */
function draining(source: RowSource): Partial<RowContent> {
  return source.chance(0.02)
    ? { status: "progressing", reason: "RollingOut", message: "1 old replicas still exist" }
    : {};
}

function noneAvailable(wanted: number): Partial<RowContent> {
  return { status: "unhealthy", reason: "NoneAvailable", message: `0 of ${wanted} replicas are available` };
}

/** The ReplicaSet of the present template, or with `wanted` 0 that of an earlier one. */
function createReplicaSet(source: RowSource, app: App, owner: Owner, wanted: number): RowContent {
  const hash = source.suffix(9);
  const available = app.fault === undefined ? wanted : 0;
  const stopped = { status: "suspended", reason: "ScaledToZero" } as const;
  const waiting = {
    status: "progressing",
    reason: "RollingOut",
    message: `0 of ${wanted} replicas are available`,
  } as const;
  return {
    ...source.row(app.namespace, `${app.name}-${hash}`),
    ...(wanted === 0 ? stopped : available < wanted ? waiting : {}),
    labels: new Map([...app.labels, ["pod-template-hash", hash]]),
    owner,
    columns: new Map<string, ColumnValue>([
      ["replicas", wanted],
      ["current", wanted],
      ["ready", available],
      ["available", available],
      ["containers", ["main"]],
      ["images", [app.image]],
      ["selector", [`app=${app.labels.get("app")}`, `pod-template-hash=${hash}`]],
    ]),
  };
}

function createPod(source: RowSource, app: App, replicaSet: RowContent): RowContent {
  const { fault } = app;
  const row = source.row(app.namespace, `${replicaSet.name}-${source.suffix(5)}`);
  const restarts = fault === undefined ? (source.chance(0.1) ? source.int(6) : 0) : 3 + source.int(400);
  const main = { name: "main", image: app.image, ready: fault === undefined, restarts };
  const proxy = {
    name: "istio-proxy",
    image: "docker.io/istio/proxyv2:1.24.1",
    ready: true,
    restarts: 0,
    state: "running",
  };
  const state = fault === undefined ? { state: "running" } : { state: "waiting", reason: fault.reason };
  return {
    ...row,
    ...(fault === undefined ? {} : { status: "unhealthy", reason: fault.reason, message: messageOf(fault, app, row) }),
    labels: replicaSet.labels,
    owner: ownerOf(replicaSetKind, replicaSet),
    columns: new Map<string, ColumnValue>([
      ["phase", fault?.reason === "Unschedulable" ? "Pending" : "Running"],
      ["printStatus", fault?.reason ?? "Running"],
      ["ready", fault === undefined ? "2/2" : "1/2"],
      ["restarts", restarts],
      ["node", `ip-10-0-${source.int(4)}-${source.int(10)}.ec2.internal`],
      ["podIps", [`10.${source.int(4)}.${source.int(256)}.${source.int(256)}`]],
      ["qos", "Burstable"],
      ["containers", [JSON.stringify({ ...main, ...state }), JSON.stringify(proxy)]],
    ]),
  };
}

function messageOf(fault: Fault, app: App, pod: RowContent): string {
  if (fault.reason === "ImagePullBackOff") return `${fault.message} "${app.image}"`;
  return fault.reason === "CrashLoopBackOff"
    ? `${fault.message} pod=${pod.name}_${pod.namespace}(${pod.uid})`
    : fault.message;
}

function addService(source: RowSource, app: App, pods: readonly RowContent[], add: AddRow): void {
  const service = {
    ...source.row(app.namespace, app.name),
    labels: app.labels,
    columns: new Map<string, ColumnValue>([
      ["type", "ClusterIP"],
      ["clusterIps", [`172.20.${source.int(256)}.${source.int(256)}`]],
      ["selector", [`app=${app.labels.get("app")}`]],
      ["ports", [JSON.stringify({ name: "http", protocol: "TCP", port: 80, targetPort: 8080 })]],
    ]),
  };
  add(serviceKind, service);
  add(endpointSliceKind, {
    ...source.row(app.namespace, `${app.name}-${source.suffix(5)}`),
    labels: new Map([...app.labels, ["kubernetes.io/service-name", app.name]]),
    owner: ownerOf(serviceKind, service),
    columns: new Map<string, ColumnValue>([
      ["service", app.name],
      ["addressType", "IPv4"],
      ["readyCount", app.fault === undefined ? pods.length : 0],
      ["endpointCount", pods.length],
      ["ports", [JSON.stringify({ name: "http", protocol: "TCP", port: 8080 })]],
    ]),
  });
  if (source.chance(0.25)) add(ingressKind, createIngress(source, app));
}

function createIngress(source: RowSource, app: App): RowContent {
  const host = `${app.name}.${app.namespace}.example.com`;
  return {
    ...source.row(app.namespace, app.name),
    labels: app.labels,
    columns: new Map<string, ColumnValue>([
      ["class", "nginx"],
      ["hosts", [host]],
      ["ruleHosts", [host]],
      ["paths", [JSON.stringify({ host, path: "/", service: app.name, port: "http" })]],
      ["tls", source.chance(0.8)],
    ]),
  };
}

function createConfigMap(source: RowSource, app: App): RowContent {
  return {
    ...source.row(app.namespace, `${app.name}-config`),
    labels: app.labels,
    columns: new Map<string, ColumnValue>([
      ["keys", ["config.yaml", "log.properties"]],
      ["keyCount", 2],
    ]),
  };
}

function createAutoscaler(source: RowSource, app: App, wanted: number): RowContent {
  return {
    ...source.row(app.namespace, app.name),
    labels: app.labels,
    columns: new Map<string, ColumnValue>([
      ["targetKind", "Deployment"],
      ["targetName", app.name],
      ["targets", [`cpu: ${source.int(100)}%/80%`]],
      ["minReplicas", 1],
      ["maxReplicas", wanted + 4],
      ["currentReplicas", wanted],
      ["desiredReplicas", wanted],
    ]),
  };
}

function createEvent(source: RowSource, app: App, pod: RowContent): RowContent {
  const isFaulty = app.fault !== undefined;
  const seenAt = nowMs - source.int(3_600) * 1_000;
  return {
    ...source.row(app.namespace, `${pod.name}.${source.hex(8)}`),
    createdAt: seenAt,
    status: "completed",
    reason: isFaulty ? "BackOff" : source.pick(["Scheduled", "Pulled", "Created", "Started"]),
    message: isFaulty ? "Back-off restarting failed container main" : "Successfully assigned",
    columns: new Map<string, ColumnValue>([
      ["type", isFaulty ? "Warning" : "Normal"],
      ["objectKind", "Pod"],
      ["objectNamespace", pod.namespace],
      ["objectName", pod.name],
      ["objectUid", pod.uid],
      ["controller", "kubelet"],
      ["count", 1 + source.int(isFaulty ? 300 : 3)],
      ["firstSeenAt", seenAt],
      ["lastSeenAt", seenAt],
    ]),
  };
}
