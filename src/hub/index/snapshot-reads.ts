// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import { inGroups, maxMessageChars, rowChars } from "../rows/bounded-groups.ts";
import type { ClusterSummary, KindPage } from "../rows/fleet-reader.ts";
import type { KindSnapshot } from "../rows/fold-types.ts";
import type { MemoryFleetRows } from "../rows/memory-fleet-rows.ts";

/** Rows of one page: usually some 200 kB as a message, a twentieth of the message limit. */
const pageBounds = { maxCount: 500, maxSize: maxMessageChars, sizeOf: rowChars };

/** The limit on open snapshots. Another one closes the one that was opened first: a reader may have gone away. */
const maxOpenCount = 64;

/** A snapshot that is being read page by page. */
export interface OpenSnapshot {
  readonly id: number;
  readonly summary: ClusterSummary;
}

/** Snapshots of clusters, each of one moment, however long it is read. */
export class SnapshotReads {
  readonly #tables: MemoryFleetRows;
  readonly #open = new Map<number, Iterator<KindPage>>();
  #lastId = 0;

  constructor(tables: MemoryFleetRows) {
    this.#tables = tables;
  }

  open(cluster: string, summary: ClusterSummary, resources: ReadonlySet<string> | undefined): OpenSnapshot {
    const wanted = summary.kinds.filter(({ resource }) => resources?.has(resource) ?? true);
    // Taken before the first page is requested, so that all kinds are of one moment.
    const snapshots = wanted.map(({ resource }) => [resource, this.#tables.snapshot(cluster, resource)] as const);
    this.#lastId += 1;
    this.#open.set(this.#lastId, pagesOf(snapshots));
    const [first] = this.#open.keys();
    if (this.#open.size > maxOpenCount && first !== undefined) this.#open.delete(first);
    return { id: this.#lastId, summary };
  }

  /** Undefined after the last page. Throws UNAVAILABLE for a snapshot that was closed. */
  read(id: number): KindPage | undefined {
    const pages = this.#open.get(id);
    if (pages === undefined)
      throw new FlotillaError("UNAVAILABLE", "too many reads of whole clusters are under way; try again");
    const next = pages.next();
    if (next.done !== true) return next.value;
    this.#open.delete(id);
    return undefined;
  }

  close(id: number): void {
    this.#open.delete(id);
  }
}

function* pagesOf(
  snapshots: readonly (readonly [string, KindSnapshot | undefined])[],
): Generator<KindPage, void, undefined> {
  for (const [resource, snapshot] of snapshots)
    for (const group of snapshot?.groups ?? [])
      for (const rows of inGroups(group.rows(), pageBounds)) yield { resource, kind: group.kind, rows };
}
