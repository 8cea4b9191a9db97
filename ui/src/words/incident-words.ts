// SPDX-License-Identifier: Apache-2.0
import type { FleetCluster, Incident } from "../../../src/gen/flotilla/page/v1/page_pb.ts";
import { countWords } from "./count-words.ts";

/** Why a cluster is not live, in a few words: the hub's reason classes (docs/spec/health.md HE7). A class that this page does not know is said as it is. */
const reasons: ReadonlyMap<string, string> = new Map([
  ["dns", "name not found"],
  ["tcp", "connection refused"],
  ["tls", "certificate not trusted"],
  ["timeout", "no answer"],
  ["unauthorized", "credential refused"],
  ["forbidden", "not permitted"],
  ["overloaded", "hub overloaded"],
  ["serverError", "API server fails"],
  ["agentLost", "agent lost"],
  ["agentLeft", "agent stopped"],
  ["heartbeatMissed", "heartbeat missed"],
  ["watchSilent", "watch silent"],
  ["backlog", "changes wait"],
  ["grantsBehind", "permissions behind"],
  ["rejected", "refused by the hub"],
  ["hubRestarted", "not back since the hub's restart"],
  ["never", "not yet connected"],
]);

export function reasonWords(reason: string): string {
  return reasons.get(reason) ?? reason;
}

/** What an incident is about: "Lost prod-eu-2", "Lost 60 clusters in eu-2". The first fact of its notice. */
export function incidentTitle({ outIds, returnedIds, regions, endedMs }: Incident): string {
  const ids = endedMs === undefined ? outIds : returnedIds;
  const verb = endedMs === undefined ? "Lost" : "Reconnected";
  const [only] = ids;
  const where = regions.length === 1 ? ` in ${regions[0]}` : regions.length > 1 ? ` in ${regions.length} regions` : "";
  return ids.length === 1 && only !== undefined
    ? `${verb} ${only}`
    : `${verb} ${countWords(ids.length, "cluster")}${where}`;
}

/** Its reasons in words: "connection refused, agent lost". */
export function incidentReasons({ reasons: classes }: Incident): string {
  return classes.map(reasonWords).join(", ");
}

/** When the next attempt of any of its clusters is, by the hub's clock; undefined where none is known. */
export function nextAttemptOf({ outIds }: Incident, clusters: ReadonlyMap<string, FleetCluster>): number | undefined {
  const moments = outIds.flatMap((id) => {
    const next = clusters.get(id)?.connection?.nextAttemptMs;
    return next === undefined ? [] : [Number(next)];
  });
  return moments.length === 0 ? undefined : Math.min(...moments);
}

/** Since when nothing was heard of the one that was heard longest ago; undefined where none was ever heard. */
export function oldestDataOf({ outIds }: Incident, clusters: ReadonlyMap<string, FleetCluster>): number | undefined {
  const moments = outIds.flatMap((id) => {
    const seen = clusters.get(id)?.connection?.seenMs;
    return seen === undefined ? [] : [Number(seen)];
  });
  return moments.length === 0 ? undefined : Math.min(...moments);
}

/** How the clusters of an incident that ended caught up: "all resumed", "2 resumed, 1 relisted"; "" where it is not known. */
export function caughtUpWords({ caughtUpBy }: Incident): string {
  const counts = new Map<string, number>();
  for (const how of caughtUpBy) if (how !== "") counts.set(how, (counts.get(how) ?? 0) + 1);
  const entries = [...counts];
  const [only] = entries;
  if (entries.length === 1 && only !== undefined) return caughtUpBy.length === 1 ? only[0] : `all ${only[0]}`;
  return entries.map(([how, count]) => `${count} ${how}`).join(", ");
}
