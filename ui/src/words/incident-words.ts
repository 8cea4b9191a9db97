// SPDX-License-Identifier: Apache-2.0
import type { FleetCluster, PageConnection } from "../../../src/gen/flotilla/page/v1/page_pb.ts";
import type { FleetIncident } from "../views/fleet-incident.ts";
import { countWords } from "./count-words.ts";

/** Why a cluster is not live, in a few words: the hub's reason classes (docs/spec/health.md HE7). A class that this page does not know is said as it is. */
const reasons: ReadonlyMap<string, string> = new Map([
  ["dns", "name not found"],
  ["tcp", "connection refused"],
  ["tls", "certificate not trusted"],
  ["timeout", "no answer"],
  ["unauthorized", "credential refused"],
  ["forbidden", "not permitted"],
  ["overloaded", "over its limit"],
  ["serverError", "API server fails"],
  ["agentLost", "agent lost"],
  ["agentLeft", "agent stopped"],
  ["heartbeatMissed", "heartbeat missed"],
  ["watchSilent", "watch silent"],
  ["backlog", "changes wait"],
  ["grantsBehind", "permissions behind"],
  ["rejected", "refused by the hub"],
  ["hubRestarted", "not back since the hub's restart"],
  ["never", "never seen"],
  ["paused", "paused on purpose"],
]);

export function reasonWords(reason: string): string {
  return reasons.get(reason) ?? reason;
}

/** What an incident is about: "Lost prod-eu-2", "Lost 60 clusters in eu-2". The first fact of its notice. */
export function incidentTitle({ outIds, returnedIds, regions, endedMs }: FleetIncident): string {
  const ids = endedMs === undefined ? outIds : returnedIds;
  const verb = endedMs === undefined ? "Lost" : "Reconnected";
  const [only] = ids;
  const where = regions.length === 1 ? ` in ${regions[0]}` : regions.length > 1 ? ` in ${regions.length} regions` : "";
  return ids.length === 1 && only !== undefined
    ? `${verb} ${only}`
    : `${verb} ${countWords(ids.length, "cluster")}${where}`;
}

/** Its reasons in words: "connection refused, agent lost". */
export function incidentReasons({ reasons: classes }: FleetIncident): string {
  return classes.map(reasonWords).join(", ");
}

/**
 * The incidents that get a notice, of those that the hub tells, the oldest first: all that are open, and of those that are over the ones with a cluster that
 * no later one has. So a cluster that comes and goes has one notice at any moment (PG19).
 */
export function toldIncidents(incidents: readonly FleetIncident[]): readonly FleetIncident[] {
  const later = new Set<string>();
  return incidents
    .toReversed()
    .filter(({ outIds, returnedIds, endedMs }) => {
      const isTold = endedMs === undefined || returnedIds.some((id) => !later.has(id));
      for (const id of [...outIds, ...returnedIds]) later.add(id);
      return isTold;
    })
    .toReversed();
}

/** Whether one of its clusters that are out was lost again and again lately: until it stays for a while it does not count as back (HE6). */
export function comesAndGoes({ outIds }: FleetIncident, clusters: ReadonlyMap<string, FleetCluster>): boolean {
  return outIds.some((id) => clusters.get(id)?.connection?.isFlapping === true);
}

/** When the next attempt of any of its clusters is, by the hub's clock; undefined where none is known. */
export function nextAttemptOf(
  { outIds }: FleetIncident,
  clusters: ReadonlyMap<string, FleetCluster>,
): number | undefined {
  const moments = outIds.flatMap((id) => {
    const next = clusters.get(id)?.connection?.nextAttemptMs;
    return next === undefined ? [] : [Number(next)];
  });
  return moments.length === 0 ? undefined : Math.min(...moments);
}

/** As of when the rows of a cluster in trouble are, by the hub's clock. Undefined where nothing was ever heard. */
export function dataAtMs(connection: PageConnection | undefined): number | undefined {
  return connection?.seenMs === undefined ? undefined : Number(connection.seenMs);
}

/** As of when the oldest rows of its clusters are; undefined where none was ever heard. */
export function oldestDataOf(
  { outIds }: FleetIncident,
  clusters: ReadonlyMap<string, FleetCluster>,
): number | undefined {
  const moments = outIds.flatMap((id) => {
    return dataAtMs(clusters.get(id)?.connection) ?? [];
  });
  return moments.length === 0 ? undefined : Math.min(...moments);
}

/** How the clusters of an incident that ended caught up: "all resumed", "relisted 3 kinds", "2 resumed, 1 relisted"; "" where it is not known. */
export function caughtUpWords({ caughtUpBy, relistedKindCount = 0 }: FleetIncident): string {
  if (caughtUpBy.length === 1 && relistedKindCount > 0) {
    return `${caughtUpBy[0]} ${countWords(relistedKindCount, "kind", "kinds")}`;
  }
  const counts = new Map<string, number>();
  for (const how of caughtUpBy) if (how !== "") counts.set(how, (counts.get(how) ?? 0) + 1);
  const entries = [...counts];
  const [only] = entries;
  if (entries.length === 1 && only !== undefined) return caughtUpBy.length === 1 ? only[0] : `all ${only[0]}`;
  return entries.map(([how, count]) => `${count} ${how}`).join(", ");
}
