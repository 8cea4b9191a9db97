// SPDX-License-Identifier: Apache-2.0
import type { FleetCluster, PageConnection } from "../../../src/gen/flotilla/page/v1/page_pb.ts";
import type { FleetIncident } from "../views/fleet-incident.ts";
import { connectionWords, type ShownState, shownState } from "./connection-words.ts";
import { countWords } from "./count-words.ts";

/**
 * The hub's reason classes in a few words (docs/spec/health.md HE7). A class that this page does not know is shown
 * unchanged.
 */
const reasons: ReadonlyMap<string, string> = new Map([
  ["dns", "name not found"],
  ["tcp", "connection refused"],
  ["tls", "certificate not trusted"],
  ["timeout", "no answer"],
  ["unauthorized", "credential refused"],
  ["forbidden", "not permitted"],
  ["overloaded", "over capacity"],
  ["serverError", "API server error"],
  ["agentLost", "agent lost"],
  ["agentLeft", "agent stopped"],
  ["heartbeatMissed", "heartbeat missed"],
  ["watchSilent", "watch silent"],
  ["backlog", "changes wait"],
  ["grantsBehind", "permissions behind"],
  ["rejected", "refused by the hub"],
  ["hubRestarted", "not reconnected since the hub restarted"],
  ["never", "never seen"],
  ["paused", "paused on purpose"],
]);

export function reasonWords(reason: string): string {
  return reasons.get(reason) ?? reason;
}

/** The common state of an open incident's clusters; undefined if they differ. An ended incident is `live`. */
export function incidentState(
  { outIds, endedMs }: FleetIncident,
  clusters: ReadonlyMap<string, FleetCluster>,
): ShownState | undefined {
  if (endedMs !== undefined) return "live";
  const states = new Set(outIds.map((id) => shownState(clusters.get(id)?.connection)));
  const [only] = states;
  return states.size === 1 ? only : undefined;
}

/**
 * The title of an incident: "Disconnected: prod-eu-2", "Stale: 60 clusters in eu-2", "Live again: prod-eu-2". Clusters
 * in several states are "Not live".
 */
export function incidentTitle(incident: FleetIncident, clusters: ReadonlyMap<string, FleetCluster>): string {
  const { outIds, returnedIds, regions, endedMs } = incident;
  const ids = endedMs === undefined ? outIds : returnedIds;
  const state = incidentState(incident, clusters);
  const word = endedMs !== undefined ? "live again" : state === undefined ? "not live" : connectionWords(state).word;
  const [only] = ids;
  const where = regions.length === 1 ? ` in ${regions[0]}` : regions.length > 1 ? ` in ${regions.length} regions` : "";
  const which = ids.length === 1 && only !== undefined ? only : `${countWords(ids.length, "cluster")}${where}`;
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}: ${which}`;
}

/** Its reasons in words: "connection refused, agent lost". */
export function incidentReasons({ reasons: classes }: FleetIncident): string {
  return classes.map(reasonWords).join(", ");
}

/**
 * The incidents that get a notice, oldest first: all open ones, and ended ones with a cluster that no later incident
 * has. So a flapping cluster has one notice at any time (PG19).
 */
export function noticedIncidents(incidents: readonly FleetIncident[]): readonly FleetIncident[] {
  const later = new Set<string>();
  return incidents
    .toReversed()
    .filter(({ outIds, returnedIds, endedMs }) => {
      const isShown = endedMs === undefined || returnedIds.some((id) => !later.has(id));
      for (const id of [...outIds, ...returnedIds]) later.add(id);
      return isShown;
    })
    .toReversed();
}

/** Whether one of its lost clusters is flapping: it does not count as returned until it is stable (HE6). */
export function isIncidentFlapping({ outIds }: FleetIncident, clusters: ReadonlyMap<string, FleetCluster>): boolean {
  return outIds.some((id) => clusters.get(id)?.connection?.isFlapping === true);
}

/** Hub time of the next attempt of any of its clusters; undefined if unknown. */
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

/** Hub time as of which the rows of a cluster are current. Undefined if its agent never connected. */
export function dataAtMs(connection: PageConnection | undefined): number | undefined {
  return connection?.seenMs === undefined ? undefined : Number(connection.seenMs);
}

/** Hub time of the oldest rows of its clusters; undefined if none of their agents ever connected. */
export function oldestDataOf(
  { outIds }: FleetIncident,
  clusters: ReadonlyMap<string, FleetCluster>,
): number | undefined {
  const moments = outIds.flatMap((id) => {
    return dataAtMs(clusters.get(id)?.connection) ?? [];
  });
  return moments.length === 0 ? undefined : Math.min(...moments);
}

/**
 * How the clusters of an ended incident caught up: "all resumed", "relisted 3 kinds", "2 resumed, 1 relisted"; "" if
 * unknown.
 */
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
