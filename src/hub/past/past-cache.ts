// SPDX-License-Identifier: Apache-2.0
import type { ClusterTexts } from "../../index/table/cluster-texts.ts";
import type { TextDictionary } from "../../index/table/text-dictionary.ts";
import { PastCluster, type PastKind } from "./past-cluster.ts";

/** Something whose memory counts towards the limit. */
interface Sized {
  readonly sizeBytes: number;
}

/**
 * Tables of past moments, within a limit of memory. Pages, facets and the next query usually ask for the same moment,
 * so complete tables stay until their memory is needed; those that open reads use stay in any case.
 */
export class PastCache {
  readonly #limitBytes: number;
  readonly #namespaces: () => TextDictionary;
  readonly #clusters = new Map<string, PastCluster>();
  /** Memory of each cluster, and of what reads hold besides, when it was last counted. */
  readonly #counted = new Map<Sized, number>();
  #bytes = 0;
  #useCount = 0;

  /** `namespaces` gives the dictionary of the namespaces of all clusters. */
  constructor(options: { readonly limitBytes: number; readonly namespaces: () => TextDictionary }) {
    this.#limitBytes = options.limitBytes;
    this.#namespaces = options.namespaces;
  }

  get sizeBytes(): number {
    return this.#bytes;
  }

  /** The tables of a cluster. Creates them if there are none. */
  open(cluster: string): PastCluster {
    const past = this.#clusters.get(cluster) ?? new PastCluster(this.#namespaces());
    this.#clusters.set(cluster, past);
    return past;
  }

  /** Tables that one read alone uses. Their memory counts until `drop`. */
  openPrivate(): PastCluster {
    return new PastCluster(this.#namespaces());
  }

  /** A complete table, pinned; undefined if there is none. `isContinued`: the caller folds into a copy of it. */
  pin(cluster: string, resource: string, position: number, isContinued: boolean): PastKind | undefined {
    const past = this.#clusters.get(cluster);
    const kind = isContinued ? past?.findOwn(resource, position) : past?.find(resource, position);
    if (kind === undefined) return undefined;
    kind.pinCount += 1;
    this.#use(kind);
    return kind;
  }

  /** As `pin`, for the newest table of a kind before a position and not before a time. */
  pinBefore(cluster: string, place: Pick<PastKind, "resource" | "position">, sinceMs: number): PastKind | undefined {
    const kind = this.#clusters.get(cluster)?.findBefore(place.resource, place.position, sinceMs);
    if (kind !== undefined) kind.pinCount += 1;
    return kind;
  }

  /**
   * Removes tables that no read uses and whose dictionaries were those of the present rows until these were compacted:
   * nothing else needs the old dictionaries, and their memory is not counted.
   */
  dropReplaced(cluster: string, present: ClusterTexts | undefined): void {
    const past = this.#clusters.get(cluster);
    for (const kind of past?.kinds ?? []) {
      const texts = kind.table.cluster;
      if (past !== undefined && kind.pinCount === 0 && texts !== past.texts && texts !== present)
        this.#remove(cluster, past, kind);
    }
  }

  /** Marks a table as complete, so that other reads find it. It stays pinned. */
  complete(kind: PastKind): void {
    kind.isComplete = true;
    this.#use(kind);
  }

  /** Removes a pin. A table that no read uses, and that no other read may use, is removed. */
  unpin(cluster: string, kind: PastKind): void {
    kind.pinCount -= 1;
    if (kind.pinCount === 0 && (!kind.isComplete || kind.isRemoved)) this.#remove(cluster, this.open(cluster), kind);
  }

  /**
   * Counts the memory of tables that have grown, and removes unused tables, the least recently used first, until all
   * fit into the limit. False if they do not fit.
   */
  count(grown: Sized): boolean {
    this.#measure(grown);
    if (this.#bytes <= this.#limitBytes) return true;
    for (const { cluster, past, kind } of this.#unused()) {
      if (this.#bytes <= this.#limitBytes) break;
      this.#remove(cluster, past, kind);
    }
    return this.#bytes <= this.#limitBytes;
  }

  /** Counts memory no longer that a read has released. */
  drop(held: Sized): void {
    this.#bytes -= this.#counted.get(held) ?? 0;
    this.#counted.delete(held);
  }

  /** Removes all tables that no read uses. */
  clear(): void {
    for (const { cluster, past, kind } of this.#unused()) this.#remove(cluster, past, kind);
  }

  /** Removes the tables of a cluster that was removed. Open reads keep those that they use. */
  removeCluster(cluster: string): void {
    const past = this.#clusters.get(cluster);
    if (past === undefined) return;
    for (const kind of past.kinds) {
      kind.isRemoved = true;
      if (kind.pinCount === 0) this.#remove(cluster, past, kind);
    }
  }

  /** The least recently used first. */
  #unused(): readonly { readonly cluster: string; readonly past: PastCluster; readonly kind: PastKind }[] {
    return [...this.#clusters]
      .flatMap(([cluster, past]) => Array.from(past.kinds, (kind) => ({ cluster, past, kind })))
      .filter(({ kind }) => kind.pinCount === 0)
      .sort((a, b) => a.kind.usedAt - b.kind.usedAt);
  }

  #use(kind: PastKind): void {
    this.#useCount += 1;
    kind.usedAt = this.#useCount;
  }

  /** Dictionaries only grow. They go with the last table of their cluster. */
  #remove(cluster: string, past: PastCluster, kind: PastKind): void {
    past.remove(kind);
    if (!past.isEmpty) {
      this.#measure(past);
      return;
    }
    if (this.#clusters.get(cluster) === past) this.#clusters.delete(cluster);
    this.drop(past);
  }

  #measure(sized: Sized): void {
    const bytes = sized.sizeBytes;
    this.#bytes += bytes - (this.#counted.get(sized) ?? 0);
    this.#counted.set(sized, bytes);
  }
}
