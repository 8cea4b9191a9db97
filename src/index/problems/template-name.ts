// SPDX-License-Identifier: Apache-2.0
import type { PlacedRow } from "../relations/visible-cluster.ts";

/**
 * The name of the workload at the top of an owner chain, without generated suffixes: the same in every cluster and
 * namespace that runs it (PB3). The last hop is the text of the owner reference, so the name does not depend on which
 * owners are visible for the usual kinds. "" for an object without an owner that runs no Pods and owns nothing
 * (`isOwner`) of the problem.
 */
export function templateName(chain: readonly PlacedRow[], isOwner: boolean): string {
  const top = chain.at(-1);
  if (top === undefined) return "";
  const owner = top.table.ownerOf(top.row);
  const own = top.table.nameOf(top.row);
  if (owner === undefined)
    return isOwner || chain.length > 1 || top.table.list(top.row, "images") !== undefined ? own : "";
  switch (owner.kind) {
    case "ReplicaSet":
      return withoutEnd(owner.name, top.table.label(top.row, "pod-template-hash"));
    case "Job":
      return owner.name.replace(/-\d+$/, "");
    case "Node":
      return withoutEnd(own, owner.name);
    default:
      return owner.name;
  }
}

function withoutEnd(name: string, end: string | undefined): string {
  return end !== undefined && end !== "" && name.endsWith(`-${end}`) ? name.slice(0, -end.length - 1) : name;
}
