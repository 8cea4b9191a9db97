// SPDX-License-Identifier: Apache-2.0
import { statusRank } from "../../model/status.ts";
import { type PlacedRow, placeId, type VisibleCluster } from "../relations/visible-cluster.ts";
import type { OwnerChains } from "./owner-chains.ts";
import type { ProblemGroup } from "./problem-group.ts";

/**
 * Reasons of a Pod that follow from a lost Node whatever else is wrong: the control plane marks it not ready, and no
 * kubelet confirms its deletion. A container's own failure was reported before the Node was lost, so it stays a problem
 * of its own.
 */
const lostReasons: ReadonlySet<string> = new Set(["NotReady", "Terminating", "StuckTerminating"]);

const unhealthy = statusRank("unhealthy");

/** Statuses of the Pods that decide whether a Node explains what owns them. */
const failedRanks: readonly number[] = [unhealthy, statusRank("degraded"), statusRank("terminating")];

/** How many Pods are scanned between two yields: about 1 ms of work. */
const podsPerSlice = 65_536;

/** A Pod whose owners are looked up costs as much as this many others. */
const podsPerLookup = 64;

/** Groups of which all failed Pods are lost with unhealthy Nodes become part of the Node's problem (PB5). */
export function* explainByNodes(
  cluster: VisibleCluster,
  groups: readonly ProblemGroup[],
  chains: OwnerChains,
): Generator<void, readonly ProblemGroup[], undefined> {
  const ofNode = new Map<number, ProblemGroup>();
  for (const group of groups)
    for (const { table, row } of group.members)
      if (table.resource === "nodes" && table.statusRankOf(row) === unhealthy)
        ofNode.set(placeId({ table, row }), group);
  if (ofNode.size === 0) return groups;
  const podsOf = yield* findFailedPods(cluster, groups, chains);
  return groups.map((group) => {
    const causes = causesOf(cluster, podsOf.get(group) ?? [], ofNode);
    const [first] = [...causes].sort((a, b) => (a.id < b.id ? -1 : 1));
    if (first === undefined) return group;
    const { id, signature, root, signatureRow } = first;
    return { id, signature, root, signatureRow, members: group.members };
  });
}

/** The failed Pods below each group, whether they are members of it or not. */
function* findFailedPods(
  cluster: VisibleCluster,
  groups: readonly ProblemGroup[],
  chains: OwnerChains,
): Generator<void, ReadonlyMap<ProblemGroup, readonly PlacedRow[]>, undefined> {
  const found = new Map<ProblemGroup, PlacedRow[]>(groups.map((group) => [group, []]));
  const table = cluster.table("pods");
  if (table === undefined || !table.hasRank(failedRanks)) return found;
  const groupOf = new Map(groups.flatMap((group) => group.members.map((placed) => [placeId(placed), group] as const)));
  let work = 0;
  for (let row = 0; row < table.rowCount; row += 1) {
    work += 1;
    if (work >= podsPerSlice) {
      yield;
      work = 0;
    }
    if (!failedRanks.includes(table.statusRankOf(row)) || !table.isVisible(row)) continue;
    work += podsPerLookup;
    const top = chains.chainOf({ table, row }).findLast((each) => groupOf.has(placeId(each)));
    const group = top === undefined ? undefined : groupOf.get(placeId(top));
    if (group !== undefined) found.get(group)?.push({ table, row });
  }
  return found;
}

/** The groups of the Nodes on which the Pods are; empty if any Pod has another cause, or there is none. */
function causesOf(
  cluster: VisibleCluster,
  pods: readonly PlacedRow[],
  ofNode: ReadonlyMap<number, ProblemGroup>,
): ReadonlySet<ProblemGroup> {
  const causes = new Set<ProblemGroup>();
  for (const placed of pods) {
    const cause = lostReasons.has(placed.table.reasonOf(placed.row)) ? nodeGroup(cluster, placed, ofNode) : undefined;
    if (cause === undefined) return new Set();
    causes.add(cause);
  }
  return causes;
}

function nodeGroup(
  cluster: VisibleCluster,
  { table, row }: PlacedRow,
  ofNode: ReadonlyMap<number, ProblemGroup>,
): ProblemGroup | undefined {
  const node = cluster.find("nodes", "", table.text(row, "node") ?? "");
  return node === undefined ? undefined : ofNode.get(placeId(node));
}
