// SPDX-License-Identifier: Apache-2.0
import { objectKeyText } from "../../kinds/object-identity.ts";
import type { ReflectorEvent } from "../../kube/reflector-event.ts";
import type { ClusterId } from "../../model/cluster-id.ts";
import { type GitopsLeaf, leafText, parseGitopsLeaf } from "./gitops-leaf.ts";

/** Objects that are kept of one scope. Beyond it a list proves no absence. Ten times the most leaves (IN30). */
const maxScopeLeafCount = 5_000;

/** What one reflector follows: one namespace, or undefined for all. */
export type LeafScope = string | undefined;

/** The objects of one reflector. */
class ScopeLeaves {
  readonly byKey = new Map<string, GitopsLeaf>();
  /** Keys of the list in progress; undefined outside of a list. */
  listing: Set<string> | undefined;
  wasListed = false;
  /** An object of the newest list, or after it, could not be kept. */
  isIncomplete = false;
}

/**
 * The GitopsClusters of a management cluster, from the events of its reflectors. An object is gone only after its
 * deletion, or after a complete list without it (L4).
 */
export class LeafInventory {
  readonly #scopes: ReadonlyMap<LeafScope, ScopeLeaves>;
  readonly #byId = new Map<ClusterId, Map<string, GitopsLeaf>>();

  constructor(scopes: readonly LeafScope[]) {
    this.#scopes = new Map(scopes.map((scope) => [scope, new ScopeLeaves()]));
  }

  /** Receives an event. Returns the ids of the clusters whose declaration it may have changed. */
  take(scope: LeafScope, event: ReflectorEvent): Iterable<ClusterId> {
    const leaves = this.#scopes.get(scope);
    if (leaves === undefined) return [];
    switch (event.kind) {
      case "listing":
        leaves.listing = new Set();
        leaves.isIncomplete = false;
        return [];
      case "object":
        return this.#put(leaves, event);
      case "deleted":
        return this.#delete(leaves, objectKeyText(event.identity));
      case "listed":
        return this.#finishList(leaves);
      case "skipped":
        leaves.isIncomplete = true;
        return [];
      default:
        return [];
    }
  }

  /** The declarations of a cluster, in the order of their namespaces and names. */
  leavesOf(id: ClusterId): readonly GitopsLeaf[] {
    const leaves = [...(this.#byId.get(id)?.values() ?? [])];
    return leaves.sort((a, b) => (leafText(a) < leafText(b) ? -1 : 1));
  }

  /** True if an object of this namespace that is not here does not exist. */
  isListed(namespace: string): boolean {
    const leaves = this.#scopes.get(namespace) ?? this.#scopes.get(undefined);
    return leaves !== undefined && leaves.wasListed && !leaves.isIncomplete;
  }

  #put(leaves: ScopeLeaves, { object, identity }: ReflectorEvent & { readonly kind: "object" }): Iterable<ClusterId> {
    const leaf = parseGitopsLeaf(object, identity);
    if (leaf === undefined) return [];
    const key = leafText(leaf);
    leaves.listing?.add(key);
    if (!leaves.byKey.has(key) && leaves.byKey.size >= maxScopeLeafCount) {
      leaves.isIncomplete = true;
      return [];
    }
    leaves.byKey.set(key, leaf);
    const sameId = this.#byId.get(leaf.clusterId) ?? new Map<string, GitopsLeaf>();
    this.#byId.set(leaf.clusterId, sameId.set(key, leaf));
    return [leaf.clusterId];
  }

  #delete(leaves: ScopeLeaves, key: string): Iterable<ClusterId> {
    const leaf = leaves.byKey.get(key);
    leaves.listing?.delete(key);
    if (leaf === undefined) return [];
    leaves.byKey.delete(key);
    const sameId = this.#byId.get(leaf.clusterId);
    sameId?.delete(key);
    if (sameId?.size === 0) this.#byId.delete(leaf.clusterId);
    return [leaf.clusterId];
  }

  #finishList(leaves: ScopeLeaves): Iterable<ClusterId> {
    const { listing } = leaves;
    leaves.listing = undefined;
    leaves.wasListed = true;
    const ids = new Set(Array.from(leaves.byKey.values(), ({ clusterId }) => clusterId));
    const gone = leaves.isIncomplete ? [] : [...leaves.byKey.keys()].filter((key) => listing?.has(key) === false);
    for (const key of gone) this.#delete(leaves, key);
    return ids;
  }
}
