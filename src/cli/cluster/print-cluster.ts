// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { type Cluster, ClusterSchema, type KindCoverage } from "../../gen/flotilla/fleet/v1/fleet_pb.ts";
import { toPlainJson } from "../output/plain-json.ts";
import { formatAge, formatRelative } from "../output/relative-time.ts";
import { renderTable } from "../output/text-table.ts";

/** Titles of the columns that `toClusterRow` fills. */
export const clusterColumns = [
  "ID",
  "STATE",
  "SINCE",
  "SEEN",
  "REGION",
  "ENVIRONMENT",
  "KUBERNETES",
  "ROWS",
  "UNHEALTHY",
  "WHY",
] as const;

/** A cluster as JSON: every field, durations in milliseconds. */
export function toClusterObject(cluster: Cluster): JsonObject {
  return toPlainJson(ClusterSchema, cluster);
}

/**
 * A cluster as JSON in a list: without its kinds, which are most of its bytes, and with the count of its unhealthy and
 * degraded objects (CL12).
 */
export function toListedClusterObject(cluster: Cluster): JsonObject {
  const { kinds: _kinds, ...listed } = toClusterObject(cluster);
  return { ...listed, troubleCount: cluster.kinds.reduce((sum, kind) => sum + troubleCountOf(kind), 0) };
}

/** A cluster as a table row. */
export function toClusterRow(cluster: Cluster): string[] {
  const { connection } = cluster;
  const seen = connection?.seenMsAgo;
  return [
    cluster.id,
    stateText(cluster),
    connection === undefined ? "-" : formatAge(Number(connection.sinceMsAgo)),
    seen === undefined ? "never" : `${formatAge(Number(seen))} ago`,
    cluster.region || "-",
    cluster.environment || "-",
    cluster.kubernetesVersion || "-",
    rowsText(cluster),
    troubleText(cluster),
    connection?.message ?? "",
  ];
}

/** The state with its additions. A pause comes first (HE16). */
export function stateText({ connection, isPaused, isPending }: Cluster): string {
  const isPausedOnly = connection?.reason === "paused";
  const beside = [
    ...(isPaused && !isPausedOnly ? ["paused"] : []),
    ...(isPending ? ["waits for approval"] : []),
    ...(connection?.isFlapping === true ? ["flapping"] : []),
    ...(connection !== undefined && connection.position > 0 ? [`queue position ${connection.position}`] : []),
  ];
  const state = isPausedOnly ? "paused" : (connection?.state ?? "unknown");
  return beside.length === 0 ? state : `${state} (${beside.join(", ")})`;
}

/** A cluster as text, with all details. */
export function toClusterText(cluster: Cluster, nowMs: number): string {
  const { connection, session } = cluster;
  const pairs: readonly (readonly [string, string])[] = [
    ["Id", cluster.id],
    ["State", stateText(cluster)],
    ["Since", connection === undefined ? "-" : formatAge(Number(connection.sinceMsAgo))],
    ["Why", connection?.message === undefined || connection.message === "" ? "-" : connection.message],
    ["Paused", pausedText(cluster, nowMs)],
    ["Seen", connection?.seenMsAgo === undefined ? "never" : `${formatAge(Number(connection.seenMsAgo))} ago`],
    ["Attempts", attemptsText(cluster)],
    ["Region", cluster.region || "-"],
    ["Environment", cluster.environment || "-"],
    ["Version", cluster.version || "-"],
    ["Kubernetes", cluster.kubernetesVersion || "-"],
    ["Labels", labelsText(cluster)],
    ["Reached by", cluster.source],
    ["Session", session === undefined ? "-" : session.isActive ? "active" : "ended"],
    ["Agent", session === undefined ? "-" : `${session.agentId} ${session.agentVersion}`.trim()],
    ["Address", session?.address || "-"],
    ["Connected", session?.connectedAt === undefined ? "-" : formatRelative(timestampMs(session.connectedAt), nowMs)],
    ["Last message", session === undefined ? "-" : `${formatAge(Number(session.lastMessageMsAgo))} ago`],
    ["Credential", credentialText(cluster, nowMs)],
    ["Refused", refusedText(cluster)],
    ["Namespaces", namespacesText(cluster)],
    ["Rows", cluster.objectsHidden ? "hidden, as are kinds: they need the right to list rows" : rowsText(cluster)],
    ["Unhealthy", troubleText(cluster)],
  ];
  const kinds = renderTable(kindColumns, cluster.kinds.map(toKindRow));
  return `${pairs.map(([name, value]) => `${`${name}:`.padEnd(14)}${value}\n`).join("")}${cluster.kinds.length === 0 ? "" : `\n${kinds}`}`;
}

/** Who paused it, and when. */
function pausedText({ pausedBy, pausedAt }: Cluster, nowMs: number): string {
  if (pausedAt === undefined) return "-";
  return `${pausedBy === "" ? "" : `by ${pausedBy}, `}${formatRelative(timestampMs(pausedAt), nowMs)}`;
}

/**
 * Objects of the cluster that are unhealthy or degraded, with the kinds that have most of them (HE19): "3: 2
 * Deployment, 1 Pod".
 */
export function troubleText({ kinds }: Cluster): string {
  const troubled = kinds
    .filter((kind) => troubleCountOf(kind) > 0)
    .sort((a, b) => troubleCountOf(b) - troubleCountOf(a));
  const total = troubled.reduce((sum, kind) => sum + troubleCountOf(kind), 0);
  if (total === 0) return "-";
  const named = troubled.slice(0, 3).map((kind) => `${troubleCountOf(kind)} ${kind.kind || kind.resource}`);
  return `${total}: ${named.join(", ")}${troubled.length > named.length ? ", ..." : ""}`;
}

function troubleCountOf({ unhealthyCount, degradedCount }: KindCoverage): number {
  return unhealthyCount + degradedCount;
}

/** The count of one kind, with the age of the oldest. */
function kindTroubleText(kind: KindCoverage): string {
  const count = troubleCountOf(kind);
  if (count === 0) return "-";
  return kind.troubledMsAgo === undefined ? String(count) : `${count} for ${formatAge(Number(kind.troubledMsAgo))}`;
}

/** When the agent's credential for its API server expires. */
function credentialText({ credentialExpiresAt }: Cluster, nowMs: number): string {
  if (credentialExpiresAt === undefined) return "-";
  const atMs = timestampMs(credentialExpiresAt);
  return `${atMs < nowMs ? "expired" : "expires"} ${formatRelative(atMs, nowMs)}`;
}

/** The last refused agent: a second one, or one of another cluster with a key of this one. */
function refusedText({ refusedAgent }: Cluster): string {
  if (refusedAgent === undefined) return "-";
  const { agentId, address, reason, detail, refusedMsAgo } = refusedAgent;
  return `${agentId} at ${address}, ${formatAge(Number(refusedMsAgo))} ago: ${reason}, ${detail}`;
}

const kindColumns = ["KIND", "STATE", "ROWS", "UNHEALTHY", "AS OF", "SINCE", "WHAT IS WRONG"];

function toKindRow(kind: KindCoverage): string[] {
  const asOf = kind.currentMsAgo === undefined ? "-" : `${formatAge(Number(kind.currentMsAgo))} ago`;
  const since = formatAge(Number(kind.sinceMsAgo));
  return [kind.resource, kind.state, String(kind.rowCount), kindTroubleText(kind), asOf, since, faultText(kind)];
}

function faultText({ error, verb, fault, refusedCount, refusedError, leftOutCount }: KindCoverage): string {
  const parts = [
    ...(error === "" ? [] : [`${[verb, fault].filter((each) => each !== "").join(" ")}: ${error}`]),
    ...(refusedCount === 0 ? [] : [`${refusedCount} objects skipped, one because ${refusedError}`]),
    ...(leftOutCount === 0n ? [] : [`${leftOutCount} over the limit`]),
  ];
  return parts.join("; ");
}

function attemptsText({ connection }: Cluster): string {
  if (connection === undefined || connection.attemptCount === 0) return "-";
  const next = connection.nextAttemptInMs;
  return `${connection.attemptCount}${next === undefined ? "" : `, next in ${formatAge(Number(next))}`}`;
}

function labelsText({ labels }: Cluster): string {
  const texts = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  return texts.length === 0 ? "-" : texts.sort().join(",");
}

/** Hidden from callers without the right to list rows. While the hub is loading the count is incomplete. */
function rowsText({ rowCount, isLoading, objectsHidden }: Cluster): string {
  if (objectsHidden) return "hidden";
  return isLoading ? `${rowCount}, loading` : String(rowCount);
}

function namespacesText({ includedNamespaces, excludedNamespaces }: Cluster): string {
  if (includedNamespaces.length > 0) return `only ${includedNamespaces.join(", ")}`;
  return excludedNamespaces.length > 0 ? `all but ${excludedNamespaces.join(", ")}` : "all";
}
