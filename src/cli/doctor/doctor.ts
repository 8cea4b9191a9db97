// SPDX-License-Identifier: Apache-2.0
import { createClient } from "@connectrpc/connect";
import { FlotillaError, toFlotillaError } from "../../base/error.ts";
import { SystemService } from "../../gen/flotilla/admin/v1/admin_pb.ts";
import { type Cluster, ClusterService, type KindCoverage } from "../../gen/flotilla/fleet/v1/fleet_pb.ts";
import { troubleText } from "../cluster/print-cluster.ts";
import type { HubCall } from "../hub/hub-call.ts";
import { printResult } from "../output/output.ts";
import { formatAge } from "../output/relative-time.ts";
import { adviceForCluster, adviceForHub, adviceForKind } from "./doctor-advice.ts";
import { type Finding, renderFindings } from "./doctor-lines.ts";

/**
 * Checks each hop from here to the clusters, in order, and prints advice. Throws UNAVAILABLE if one is bad, after
 * everything is printed.
 */
export async function examine(call: HubCall): Promise<void> {
  const findings = await findAll(call);
  const text = renderFindings(findings);
  await printResult(call.io.stdout, call.output, { value: { findings: findings.map((each) => ({ ...each })) }, text });
  const badCount = findings.filter(({ verdict }) => verdict === "bad").length;
  if (badCount > 0) throw new FlotillaError("UNAVAILABLE", `${badCount} of ${findings.length} hops are bad`);
}

async function findAll(call: HubCall): Promise<readonly Finding[]> {
  const hub = await examineHub(call);
  if (hub.some(({ verdict }) => verdict === "bad")) return hub;
  try {
    const { clusters } = await createClient(ClusterService, call.transport).listClusters({}, { signal: call.signal });
    if (clusters.length === 0) return [...hub, noClusters];
    const hidden = clusters.some(({ objectsHidden }) => objectsHidden) ? [hiddenKinds] : [];
    return [...hub, ...clusters.flatMap(examineCluster), ...hidden];
  } catch (reason) {
    return [...hub, failedCall("clusters", toFlotillaError(reason))];
  }
}

const beforeClusters = { cluster: "", resource: "" } as const;

const noClusters: Finding = {
  ...beforeClusters,
  hop: "clusters",
  verdict: "warn",
  cause: "noClusters",
  says: "no cluster has joined",
  advice: "flotilla cluster join ID prints one line for kubectl; flotilla cluster import uses a kubeconfig context",
};

const hiddenKinds: Finding = {
  ...beforeClusters,
  hop: "kinds",
  verdict: "warn",
  cause: "hiddenKinds",
  says: "are hidden from this user, so they were not examined",
  advice: "use a token whose user may list rows",
};

function failedCall(hop: string, error: FlotillaError): Finding {
  const { code, message } = error;
  return { ...beforeClusters, hop, verdict: "bad", cause: code, says: message, advice: adviceForHub(error) };
}

async function examineHub({ transport, signal }: HubCall): Promise<readonly Finding[]> {
  const client = createClient(SystemService, transport);
  const works = { ...beforeClusters, verdict: "ok", cause: "", advice: "" } as const;
  try {
    const { version } = await client.getVersion({}, { signal });
    const { user } = await client.whoAmI({}, { signal });
    return [
      { ...works, hop: "hub", says: `answers, version ${version}` },
      { ...works, hop: "token", says: `is valid for user ${user}` },
    ];
  } catch (reason) {
    const error = toFlotillaError(reason);
    return [failedCall(error.code === "UNAUTHENTICATED" ? "token" : "hub", error)];
  }
}

/** Findings about a cluster: its connection, its unhealthy objects, and its kinds that cannot be read. */
export function examineCluster(cluster: Cluster): readonly Finding[] {
  const { id, kinds } = cluster;
  return [examineConnection(cluster), ...examineObjects(cluster), ...kinds.flatMap((kind) => examineKind(id, kind))];
}

function examineKind(cluster: string, kind: KindCoverage): readonly Finding[] {
  const { resource, state, verb, fault, error, currentMsAgo, refusedCount, refusedError } = kind;
  const about = { hop: `${cluster} ${resource}`, cluster, resource, verdict: "warn" } as const;
  const findings: Finding[] = [];
  if (state === "failed") {
    const age = currentMsAgo === undefined ? "never read" : `as of ${formatAge(Number(currentMsAgo))} ago`;
    const says = `${verb} fails, ${age}: ${error}`;
    findings.push({ ...about, cause: `kind.${fault}`, says, advice: adviceForKind(fault) });
  }
  if (refusedCount > 0) {
    const says = `${refusedCount} objects have no row: ${refusedError}`;
    findings.push({ ...about, cause: "noRow", says, advice: "make the object smaller, or exclude the kind" });
  }
  return findings;
}

/** Unhealthy objects, in one line for the whole cluster (HE19). */
function examineObjects(cluster: Cluster): readonly Finding[] {
  const { id, kinds } = cluster;
  const trouble = troubleText(cluster);
  if (trouble === "-") return [];
  const oldest = Math.max(...kinds.map(({ troubledMsAgo = 0n }) => Number(troubledMsAgo)));
  const says = `unhealthy objects: ${trouble}${oldest > 0 ? `, the oldest for ${formatAge(oldest)}` : ""}`;
  const about = { hop: `${id} objects`, cluster: id, resource: "", verdict: "warn" } as const;
  return [{ ...about, cause: "objects", says, advice: `flotilla cluster get ${id}` }];
}

function examineConnection({ id, connection, isPaused, pausedBy, isPending }: Cluster): Finding {
  const about = { hop: id, cluster: id, resource: "" } as const;
  if (isPending) {
    const advice = adviceForCluster("pending", id);
    return { ...about, verdict: "warn", cause: "pending", says: "waits for approval", advice };
  }
  if (isPaused) {
    const says = pausedBy === "" ? "is paused" : `is paused by ${pausedBy}`;
    return { ...about, verdict: "warn", cause: "paused", says, advice: adviceForCluster("paused", id) };
  }
  const state = connection?.state ?? "unknown";
  if (state === "live") return { ...about, verdict: "ok", cause: "", says: "live", advice: "" };
  const reason = connection?.reason ?? "";
  const says = `${state}: ${connection?.message ?? ""}`;
  const verdict = state === "catchingUp" ? "warn" : "bad";
  return { ...about, verdict, cause: `${state}.${reason}`, says, advice: adviceForCluster(reason, id) };
}
