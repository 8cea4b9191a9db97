// SPDX-License-Identifier: Apache-2.0
import { statusRank } from "../../model/status.ts";
import { type PlacedRow, placeId, type VisibleCluster } from "../relations/visible-cluster.ts";
import type { ProblemGroup } from "./problem-group.ts";

/**
 * Reasons of a Pod that follow from a lost Node whatever else is wrong: the control plane marks it not ready, and no
 * kubelet confirms its deletion. A container's own failure was reported before the Node was lost, so it stays a problem
 * of its own.
 */
const lostReasons: ReadonlySet<string> = new Set(["NotReady", "StuckTerminating"]);

const unhealthy = statusRank("unhealthy");

/** Groups whose Pods are all lost with unhealthy Nodes become part of the Node's problem (PB5). */
export function explainByNodes(cluster: VisibleCluster, groups: readonly ProblemGroup[]): readonly ProblemGroup[] {
  const ofNode = new Map<number, ProblemGroup>();
  for (const group of groups)
    for (const { table, row } of group.members)
      if (table.resource === "nodes" && table.statusRankOf(row) === unhealthy)
        ofNode.set(placeId({ table, row }), group);
  if (ofNode.size === 0) return groups;
  return groups.map((group) => {
    const causes = causesOf(cluster, group, ofNode);
    const [first] = [...causes].sort((a, b) => (a.id < b.id ? -1 : 1));
    if (first === undefined) return group;
    const { id, signature, root, telling } = first;
    return { id, signature, root, telling, members: group.members };
  });
}

/** The groups of the Nodes on which its Pods are; empty if any Pod has another cause, or it has no Pods. */
function causesOf(
  cluster: VisibleCluster,
  { members }: ProblemGroup,
  ofNode: ReadonlyMap<number, ProblemGroup>,
): ReadonlySet<ProblemGroup> {
  const causes = new Set<ProblemGroup>();
  for (const placed of members) {
    if (placed.table.resource !== "pods") continue;
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
