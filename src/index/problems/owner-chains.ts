// SPDX-License-Identifier: Apache-2.0
import { comparePlaces, type PlacedRow, placeId, type VisibleCluster } from "../relations/visible-cluster.ts";

/** The most owners of a chain. The longest chains in practice have six. */
const maxChainLength = 32;

/** Owner ids are below 2^31: a cluster has no more rows than that. */
const ownerIdRange = 0x8000_0000;

/** The chains of visible owners in one cluster, each owner looked up once. */
export class OwnerChains {
  readonly #cluster: VisibleCluster;
  /** By namespace number and owner id. */
  readonly #owners = new Map<number, PlacedRow | undefined>();

  constructor(cluster: VisibleCluster) {
    this.#cluster = cluster;
  }

  /**
   * The object, its owner, and so on to the topmost one. A cycle ends at its member with the least key, from wherever
   * the chain enters it. A Pod that its Node owns is a mirror of a static Pod, and the Node is not its cause, so the
   * chain ends before Nodes.
   */
  chainOf(placed: PlacedRow): readonly PlacedRow[] {
    const chain = [placed];
    for (let at = this.#ownerOf(placed); at !== undefined && chain.length < maxChainLength; at = this.#ownerOf(at)) {
      const id = placeId(at);
      const start = chain.findIndex((each) => placeId(each) === id);
      if (start !== -1) return cutCycle(chain, start);
      chain.push(at);
    }
    return chain;
  }

  #ownerOf(placed: PlacedRow): PlacedRow | undefined {
    const ownerId = placed.table.ownerIdOf(placed.row);
    if (ownerId === 0) return undefined;
    const key = placed.table.namespaceNumberOf(placed.row) * ownerIdRange + ownerId;
    if (this.#owners.has(key)) return this.#owners.get(key);
    const owner = this.#cluster.ownerOf(placed);
    const followed = owner?.table.resource === "nodes" ? undefined : owner;
    this.#owners.set(key, followed);
    return followed;
  }
}

function cutCycle(chain: readonly PlacedRow[], start: number): readonly PlacedRow[] {
  const least = chain.slice(start).reduce((a, b) => (comparePlaces(b, a) < 0 ? b : a));
  return chain.slice(0, chain.indexOf(least) + 1);
}
