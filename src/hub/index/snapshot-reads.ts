// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import type { FleetTables } from "../../index/fold/fleet-tables.ts";
import type { KindSnapshot } from "../../index/fold/fold-part.ts";
import type { Row } from "../../model/rows/row.ts";
import { isVisible, type Visibility } from "../../rbac/visibility.ts";
import { inGroups, maxMessageChars, rowChars } from "../rows/bounded-groups.ts";
import type { ClusterSummary, KindPage } from "../rows/fleet-reader.ts";
import type { FleetAccess } from "./fleet-access.ts";
import type { Viewer } from "./row-viewer.ts";

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
  readonly #tables: FleetTables;
  readonly #access: FleetAccess;
  readonly #open = new Map<number, Iterator<KindPage>>();
  #lastId = 0;

  constructor(tables: FleetTables, access: FleetAccess) {
    this.#tables = tables;
    this.#access = access;
  }

  open(
    viewer: Viewer,
    cluster: string,
    summary: ClusterSummary,
    resources: ReadonlySet<string> | undefined,
  ): OpenSnapshot {
    const wanted = summary.kinds.filter(({ resource }) => resources?.has(resource) ?? true);
    // Taken before the first page is requested, so that all kinds and the rights are of one moment.
    const taken = wanted.map(({ resource }) => ({
      resource,
      visibility: this.#access.visibilityOf(viewer, cluster, resource),
      snapshot: this.#tables.snapshot(cluster, resource),
    }));
    this.#lastId += 1;
    this.#open.set(this.#lastId, pagesOf(taken));
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

interface TakenKind {
  readonly resource: string;
  readonly visibility: Visibility;
  readonly snapshot: KindSnapshot | undefined;
}

function* pagesOf(taken: readonly TakenKind[]): Generator<KindPage, void, undefined> {
  for (const { resource, visibility, snapshot } of taken) {
    if (visibility.kind === "none") continue;
    for (const group of snapshot?.groups ?? [])
      for (const rows of inGroups(visibleOf(group.rows(), visibility), pageBounds))
        yield { resource, kind: group.kind, rows };
  }
}

function* visibleOf(rows: Iterable<Row>, visibility: Visibility): Generator<Row, void, undefined> {
  for (const row of rows) if (isVisible(visibility, row.namespace, row.name)) yield row;
}
