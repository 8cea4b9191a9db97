// SPDX-License-Identifier: Apache-2.0
import { createClient } from "@connectrpc/connect";
import { FlotillaError, toFlotillaError } from "../base/error.ts";
import { SystemService } from "../gen/flotilla/admin/v1/admin_pb.ts";
import { type Cluster, ClusterService } from "../gen/flotilla/fleet/v1/fleet_pb.ts";
import { troubleText } from "./cluster-view.ts";
import type { HubCall } from "./hub-call.ts";
import { printResult } from "./output.ts";
import { formatAge } from "./relative-time.ts";
import { renderTable } from "./table.ts";

/** One hop that was looked at. `warn` works, but not as it should. */
export interface Finding {
  readonly hop: string;
  readonly verdict: "ok" | "warn" | "bad";
  readonly says: string;
  /** What to do; "" where there is nothing to do. */
  readonly advice: string;
}

/** Looks at each hop from here to the clusters, in order, and says what to do. Throws UNAVAILABLE when one is bad, after everything is printed. */
export async function examine(call: HubCall): Promise<void> {
  const findings = await findAll(call);
  const rows = findings.map(({ hop, verdict, says, advice }) => [hop, verdict, says, advice]);
  const text = renderTable(["HOP", "VERDICT", "WHAT IS SEEN", "WHAT TO DO"], rows);
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
    const error = toFlotillaError(reason);
    const advice =
      error.code === "PERMISSION_DENIED" ? "use a token whose user may list clusters" : "see the hub's log";
    return [...hub, { hop: "clusters", verdict: "bad", says: error.message, advice }];
  }
}

const noClusters: Finding = {
  hop: "clusters",
  verdict: "warn",
  says: "no cluster has joined",
  advice: "flotilla cluster join ID prints one line for kubectl; flotilla cluster import takes a context",
};

const hiddenKinds: Finding = {
  hop: "kinds",
  verdict: "warn",
  says: "are hidden from this user, so they were not examined",
  advice: "use a token whose user may list rows",
};

async function examineHub({ transport, signal }: HubCall): Promise<readonly Finding[]> {
  const client = createClient(SystemService, transport);
  try {
    const { version } = await client.getVersion({}, { signal });
    const { user } = await client.whoAmI({}, { signal });
    return [
      { hop: "hub", verdict: "ok", says: `answers, version ${version}`, advice: "" },
      { hop: "token", verdict: "ok", says: `is good for user ${user}`, advice: "" },
    ];
  } catch (reason) {
    const error = toFlotillaError(reason);
    const isToken = error.code === "UNAUTHENTICATED";
    return [
      {
        hop: isToken ? "token" : "hub",
        verdict: "bad",
        says: error.message,
        advice: isToken
          ? "make another with flotilla token create"
          : "check that the hub runs and that this machine reaches it",
      },
    ];
  }
}

/** The connection of a cluster, and the kinds of it that cannot be read. */
export function examineCluster(cluster: Cluster): readonly Finding[] {
  const failing = cluster.kinds.filter(({ state }) => state === "failed");
  const refused = cluster.kinds.filter(({ refusedCount }) => refusedCount > 0);
  return [
    examineConnection(cluster),
    ...examineObjects(cluster),
    ...failing.map(({ resource, verb, fault, error, currentMsAgo }): Finding => {
      const age = currentMsAgo === undefined ? "never read" : `as of ${formatAge(Number(currentMsAgo))} ago`;
      const advice =
        fault === "forbidden" ? "grant it; flotilla agent manifest prints what the agent needs" : "see the agent's log";
      return { hop: `${cluster.id} ${resource}`, verdict: "warn", says: `${verb} fails, ${age}: ${error}`, advice };
    }),
    ...refused.map(({ resource, refusedCount, refusedError }): Finding => {
      const says = `${refusedCount} objects have no row: ${refusedError}`;
      return {
        hop: `${cluster.id} ${resource}`,
        verdict: "warn",
        says,
        advice: "make the object smaller, or leave the kind out",
      };
    }),
  ];
}

/** Objects in trouble, in one line for the whole cluster (HE19). */
function examineObjects(cluster: Cluster): readonly Finding[] {
  const trouble = troubleText(cluster);
  if (trouble === "-") return [];
  const oldest = Math.max(...cluster.kinds.map(({ troubledMsAgo = 0n }) => Number(troubledMsAgo)));
  const says = `unhealthy objects: ${trouble}${oldest > 0 ? `, the oldest for ${formatAge(oldest)}` : ""}`;
  return [{ hop: `${cluster.id} objects`, verdict: "warn", says, advice: `flotilla cluster get ${cluster.id}` }];
}

function examineConnection({ id, connection, isPaused, pausedBy, isPending }: Cluster): Finding {
  if (isPending) {
    return { hop: id, verdict: "warn", says: "waits for approval", advice: `flotilla cluster approve ${id}` };
  }
  if (isPaused) {
    const says = pausedBy === "" ? "is paused" : `is paused by ${pausedBy}`;
    return { hop: id, verdict: "warn", says, advice: `flotilla cluster resume ${id}` };
  }
  const state = connection?.state ?? "unknown";
  if (state === "live") return { hop: id, verdict: "ok", says: "live", advice: "" };
  const says = `${state}: ${connection?.message ?? ""}`;
  const verdict = state === "catchingUp" ? "warn" : "bad";
  return { hop: id, verdict, says, advice: adviceByReason.get(connection?.reason ?? "") ?? "see the agent's log" };
}

/** What to do about a loss, by the class of its reason; the sentence of the state says what is seen. */
const adviceByReason: ReadonlyMap<string, string> = new Map([
  ["none", "wait: it is being compared"],
  ["never", "start its agent: flotilla agent manifest | kubectl apply -f -"],
  ["agentLost", "look at the agent's Pod: kubectl -n flotilla get pods, and at its way to the hub"],
  ["agentLeft", "start its agent again"],
  ["heartbeatMissed", "look at the agent's machine and network: it hangs or is cut off"],
  ["hubRestarted", "wait: its agent comes back by itself"],
  ["rejected", "see why in the agent's log; flotilla cluster rotate or accept may be needed"],
  ["unauthorized", "renew the agent's credential for the API server"],
  ["tls", "check the API server's certificate and the CA the agent was given"],
  ["dns", "check the name of the API server where the agent runs"],
  ["tcp", "check that the API server runs and that nothing refuses connections to it"],
  ["timeout", "check the network between agent and API server: packets are swallowed"],
]);
