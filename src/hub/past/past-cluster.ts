// SPDX-License-Identifier: Apache-2.0
import { ClusterTexts } from "../../index/table/cluster-texts.ts";
import { KindTable } from "../../index/table/kind-table.ts";
import type { TextDictionary } from "../../index/table/text-dictionary.ts";

/** The rows of one kind as of one position of the fleet log. */
export interface PastKind {
  readonly resource: string;
  readonly position: number;
  /** When the hub received the newest of the rows. */
  readonly receivedAtMs: number;
  /** Replaced when a kind that is restored is complete. It may use the dictionaries of the present rows. */
  table: KindTable;
  /** All its segments are folded: it does not change any more. */
  isComplete: boolean;
  /** Its cluster was removed: no other read may use it. */
  isRemoved: boolean;
  /** Open reads that use it. It stays while there are any. */
  pinCount: number;
  /** Grows with each use. */
  usedAt: number;
}

/** A kind at a position of the log. */
export type PastKindPlace = Pick<PastKind, "resource" | "position" | "receivedAtMs">;

/**
 * Tables of one cluster, of any kinds and positions. Those that were folded from the log share the dictionaries, so that
 * texts that two moments have in common are held once. Those that were restored may use the present dictionaries.
 */
export class PastCluster {
  readonly texts: ClusterTexts;
  readonly #kinds = new Set<PastKind>();

  /** `namespaces` holds the namespaces of all clusters. */
  constructor(namespaces: TextDictionary) {
    this.texts = new ClusterTexts(namespaces);
  }

  get kinds(): Iterable<PastKind> {
    return this.#kinds;
  }

  get isEmpty(): boolean {
    return this.#kinds.size === 0;
  }

  /** The memory of the tables, complete or not, and of their dictionaries. */
  get sizeBytes(): number {
    let bytes = this.texts.sizeBytes;
    for (const { table } of this.#kinds) bytes += table.sizeBytes;
    return bytes;
  }

  /** A complete table; undefined if there is none. */
  find(resource: string, position: number): PastKind | undefined {
    for (const kind of this.#kinds) if (isUsable(kind, resource) && kind.position === position) return kind;
    return undefined;
  }

  /** As `find`, for a table that can be continued: the dictionaries are not those of the present rows. */
  findOwn(resource: string, position: number): PastKind | undefined {
    for (const kind of this.#kinds) if (this.#isOwn(kind, resource) && kind.position === position) return kind;
    return undefined;
  }

  /** As `findOwn`, for the newest table of a kind before a position and not before a time. */
  findBefore(resource: string, position: number, sinceMs: number): PastKind | undefined {
    let newest: PastKind | undefined;
    for (const kind of this.#kinds) {
      if (!this.#isOwn(kind, resource) || kind.receivedAtMs < sinceMs) continue;
      if (kind.position < position && kind.position > (newest?.position ?? 0)) newest = kind;
    }
    return newest;
  }

  /** A table that is being loaded, pinned once. A table that is given belongs to `texts`. */
  add({ resource, position, receivedAtMs }: PastKindPlace, table = new KindTable(this.texts)): PastKind {
    const state = { isComplete: false, isRemoved: false, pinCount: 1, usedAt: 0 };
    const kind = { resource, position, receivedAtMs, table, ...state };
    this.#kinds.add(kind);
    return kind;
  }

  remove(kind: PastKind): void {
    this.#kinds.delete(kind);
  }

  #isOwn(kind: PastKind, resource: string): boolean {
    return isUsable(kind, resource) && kind.table.cluster === this.texts;
  }
}

function isUsable(kind: PastKind, resource: string): boolean {
  return kind.resource === resource && kind.isComplete && !kind.isRemoved;
}
