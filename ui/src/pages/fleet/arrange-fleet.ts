// SPDX-License-Identifier: Apache-2.0
import type { FleetCluster } from "../../../../src/gen/flotilla/page/v1/page_pb.ts";
import { connectionStates, connectionWords, type ShownState, shownState } from "../../words/connection-words.ts";
import { createFleetFilter, type FleetField, fieldOf } from "./fleet-filter.ts";

/** Sort order within a group: `worst` (problems first), `name`, `objects`, `lag`, or a field. */
export type FleetSort = string;

/** Filter, grouping and order of the fleet; all of it is in the address (PG21). */
export interface FleetLook {
  readonly filter: string;
  /** "": one group. */
  readonly group: FleetField;
  readonly sort: FleetSort;
  readonly isDescending: boolean;
}

/** Number of clusters in each state. */
export type StateCounts = Readonly<Record<ShownState, number>>;

/** Clusters that share a value of the grouping field. */
export interface FleetGroup {
  /** "": clusters without a value. */
  readonly name: string;
  readonly clusters: readonly FleetCluster[];
  readonly counts: StateCounts;
}

/** The matching clusters in groups: worst state first, then by name; clusters without a value last. */
export function arrangeFleet(clusters: Iterable<FleetCluster>, look: FleetLook): readonly FleetGroup[] {
  const isWanted = createFleetFilter(look.filter);
  const byName = new Map<string, FleetCluster[]>();
  for (const cluster of clusters) {
    if (!isWanted(cluster)) continue;
    const name = look.group === "" ? "" : fieldOf(cluster, look.group);
    const group = byName.get(name);
    if (group === undefined) byName.set(name, [cluster]);
    else group.push(cluster);
  }
  const compare = comparison(look);
  return [...byName]
    .map(([name, members]) => ({ name, clusters: members.sort(compare), counts: countStates(members) }))
    .sort((a, b) => worstRank(a.counts) - worstRank(b.counts) || compareNames(a.name, b.name));
}

export function countStates(clusters: Iterable<FleetCluster>): StateCounts {
  const counts = Object.fromEntries(connectionStates.map((state) => [state, 0])) as Record<ShownState, number>;
  for (const { connection } of clusters) counts[shownState(connection)] += 1;
  return counts;
}

/** Number of unhealthy objects of a cluster. */
export function unhealthyCount({ objects }: FleetCluster): number {
  return objects?.unhealthy.reduce((sum, { count }) => sum + count, 0) ?? 0;
}

/** Number of unhealthy objects, and of clusters that have one. */
export function countUnhealthy(clusters: readonly FleetCluster[]): {
  readonly objects: number;
  readonly clusters: number;
} {
  const counts = clusters.map(unhealthyCount).filter((count) => count > 0);
  return { objects: counts.reduce((sum, count) => sum + count, 0), clusters: counts.length };
}

type Compare = (a: FleetCluster, b: FleetCluster) => number;

const byName: Compare = (a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

const byWorst: Compare = (a, b) => rankOf(a) - rankOf(b) || unhealthyCount(b) - unhealthyCount(a);

/** Ties are broken by name, so that rows do not move without a change. */
function comparison({ sort, isDescending }: FleetLook): Compare {
  const inner = comparisonOf(sort);
  return (a, b) => (isDescending ? -inner(a, b) : inner(a, b)) || byName(a, b);
}

function comparisonOf(sort: FleetSort): Compare {
  switch (sort) {
    case "worst":
      return byWorst;
    case "name":
      return byName;
    case "objects":
      return (a, b) => Number(a.objects?.rowCount ?? 0n) - Number(b.objects?.rowCount ?? 0n);
    case "lag":
      return (a, b) => (a.connection?.lagSeconds ?? 0) - (b.connection?.lagSeconds ?? 0);
    default:
      return (a, b) => compareNames(fieldOf(a, sort), fieldOf(b, sort));
  }
}

function rankOf({ connection }: FleetCluster): number {
  return connectionWords(shownState(connection)).rank;
}

/** Only problems move a group up: `catchingUp` and `live` rank alike. */
function worstRank(counts: StateCounts): number {
  const at = connectionStates.findIndex((state) => counts[state] > 0 && connectionWords(state).isTrouble);
  return at === -1 ? connectionStates.length : at;
}

function compareNames(a: string, b: string): number {
  if (a === b) return 0;
  if (a === "" || b === "") return a === "" ? 1 : -1;
  return a.localeCompare(b, "en", { numeric: true });
}
