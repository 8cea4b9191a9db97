// SPDX-License-Identifier: Apache-2.0
// What happens to one cluster id, decided from state alone: the listed GitopsClusters, the stored import and the
// kubeconfig of the Secret (IN26 to IN28). It does no I/O.
import { type ImportOwner, type ImportRecord, isSameOwner } from "../imports/import-record.ts";
import { type GitopsLeaf, leafText } from "./gitops-leaf.ts";

/** The state of one cluster id. */
export interface LeafFacts {
  /** Listed GitopsClusters with this id, in a fixed order. */
  readonly leaves: readonly GitopsLeaf[];
  /** The stored import of this id; undefined if there is none. */
  readonly known: Pick<ImportRecord, "owner"> | undefined;
  /** UID of the management cluster that the leaves come from. */
  readonly management: string;
  /** True if an object of this namespace that is not among the leaves does not exist. */
  readonly isListed: (namespace: string) => boolean;
}

/** A GitopsCluster that gets no cluster, and why. */
export interface RefusedLeaf {
  readonly leaf: GitopsLeaf;
  readonly reason: string;
}

export type LeafAction =
  /** Nothing is declared and this collector manages nothing, or the declaration is refused. */
  | { readonly kind: "none" }
  /** The object of a managed cluster is not listed, and no complete list proves that it is gone (L4). */
  | { readonly kind: "wait" }
  /** The object of a managed cluster is gone. */
  | { readonly kind: "remove"; readonly owner: ImportOwner }
  /** The cluster follows this object. `replaces` is the owner of an earlier object that is gone: it is removed first. */
  | { readonly kind: "sync"; readonly leaf: GitopsLeaf; readonly replaces?: ImportOwner };

export interface LeafPlan {
  readonly action: LeafAction;
  readonly refused: readonly RefusedLeaf[];
}

/**
 * Plans one cluster id. An import of a user, or of another management cluster, is never changed. The object that has a
 * cluster keeps it while it exists; otherwise the first one gets it.
 */
export function planLeaf({ leaves, known, management, isListed }: LeafFacts): LeafPlan {
  if (known !== undefined && known.owner?.management !== management) {
    const reason =
      known.owner === undefined
        ? "its cluster id is taken by a cluster that a user imported; rename the GitopsCluster, or remove that cluster"
        : `its cluster id is taken by GitopsCluster ${leafText(known.owner)} of another management cluster; rename the GitopsCluster, or remove that cluster`;
    return { action: { kind: "none" }, refused: leaves.map((leaf) => ({ leaf, reason })) };
  }
  const owner = known?.owner;
  const own = leaves.find((leaf) => isSameOwner(owner, ownerOf(leaf, management)));
  if (owner !== undefined && own === undefined && !isListed(owner.namespace))
    return { action: { kind: "wait" }, refused: [] };
  const leaf = own ?? leaves[0];
  if (leaf === undefined)
    return { action: owner === undefined ? { kind: "none" } : { kind: "remove", owner }, refused: [] };
  const reason = `its cluster id is that of GitopsCluster ${leafText(leaf)} too, which has it; rename one of them`;
  return {
    action: owner === undefined || own !== undefined ? { kind: "sync", leaf } : { kind: "sync", leaf, replaces: owner },
    refused: leaves.filter((each) => each !== leaf).map((each) => ({ leaf: each, reason })),
  };
}

/** The owner that an import of this object has. */
export function ownerOf({ namespace, name, uid }: GitopsLeaf, management: string): ImportOwner {
  return { management, namespace, name, uid };
}

/** Whether the kubeconfig of the Secret has to be imported: the cluster is new, or the credential was rotated. */
export function needsImport(
  known: Pick<ImportRecord, "owner" | "kubeconfig"> | undefined,
  wanted: { readonly owner: ImportOwner; readonly kubeconfig: string; readonly isRegistered: boolean },
): boolean {
  if (!wanted.isRegistered || known === undefined) return true;
  return !isSameOwner(known.owner, wanted.owner) || known.kubeconfig !== wanted.kubeconfig;
}
