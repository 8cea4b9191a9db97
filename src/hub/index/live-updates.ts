// SPDX-License-Identifier: Apache-2.0
import type { FleetTables } from "../../index/fold/fleet-tables.ts";
import { fieldRefText } from "../../index/language/field-ref.ts";
import {
  diffPages,
  isSameState,
  type LivePage,
  type LiveState,
  type PageDifference,
} from "../../index/live/live-page.ts";
import type { PagePositions } from "../../index/live/page-position.ts";
import { SentPages } from "../../index/live/sent-pages.ts";
import type { QueryKey } from "../../index/query/query-request.ts";
import type { ClusterFields } from "../../index/scan/row-filter.ts";
import type { KindTable } from "../../index/table/kind-table.ts";
import { readRow } from "../../index/table/read-row.ts";
import type { Row } from "../../model/rows/row.ts";
import type { FoundFleetRow, LiveQueryUpdate } from "../rows/fleet-queries.ts";
import type { LiveReader, ShownCounts } from "./live-reader.ts";
import { selectsCluster } from "./selected-clusters.ts";

export interface LiveUpdatesOptions {
  readonly tables: FleetTables;
  readonly positions: PagePositions;
  /** The fields of every registered cluster, with or without rows. */
  readonly clusterFields: ReadonlyMap<string, ClusterFields>;
  readonly nowMs: () => number;
}

/** Positions of one reader that it can resume from: updates that are on their way when a connection breaks. */
const resumableCount = 4;

/** Longest position; a longer text is not one of ours. */
const maxPositionLength = 64;

/**
 * Makes the updates of live views: what differs between the rows that a reader has and those of its result. Rows are
 * read from the tables when they are sent.
 */
export class LiveUpdates {
  readonly #options: LiveUpdatesOptions;
  readonly #sent = new SentPages();
  #fieldsVersion = 0;

  constructor(options: LiveUpdatesOptions) {
    this.#options = options;
  }

  /** The fields of a registered cluster changed, or a cluster was registered or removed. */
  noteFields(): void {
    this.#fieldsVersion += 1;
  }

  /** The rows that a reader has by its position are found, if they are known and the position is its own (L17). */
  resume(reader: LiveReader): void {
    const { resumedFrom, binding } = reader;
    if (resumedFrom === "" || resumedFrom.length > maxPositionLength) return;
    const page = this.#sent.find(resumedFrom, this.#options.nowMs());
    if (page !== undefined && this.#options.positions(page, binding) === resumedFrom) reader.page = page;
  }

  /**
   * The update that brings the reader to the state; undefined if the reader has it, and "outdated" if a row of it has
   * changed meanwhile. The reader has the state afterwards.
   */
  take(reader: LiveReader, state: LiveState): LiveQueryUpdate | "outdated" | undefined {
    const { positions } = this.#options;
    const clusters = this.#clustersOf(reader);
    if (isShown(reader, state, clusters)) {
      reader.seen = new WeakRef(state);
      return undefined;
    }
    const position = positions(state.page, reader.binding);
    // A reader of an earlier process of the hub has the same rows if it has the same position.
    const before = reader.page ?? (position === reader.resumedFrom ? state.page : undefined);
    const difference = diffPages(before ?? [], state.page);
    const rows = this.#read(difference, state);
    if (rows === undefined) return "outdated";
    reader.page = state.page;
    reader.seen = new WeakRef(state);
    reader.shown = { total: state.total, facets: state.facets, clusters };
    this.#remember(reader, position, state.page);
    return {
      isSnapshot: before === undefined,
      rows,
      places: difference.places,
      left: difference.left,
      total: state.total,
      facets: state.facets.map(({ ref, values, otherCount, noneCount }) => {
        return { field: fieldRefText(ref), values, otherCount, noneCount };
      }),
      position,
      clusters,
      resources: reader.resources,
    };
  }

  /** The reader left. It can resume for a time. */
  leave({ positions }: LiveReader): void {
    const newest = positions.at(-1);
    if (newest !== undefined) this.#sent.leave(newest, this.#options.nowMs());
  }

  #remember(reader: LiveReader, position: string, page: LivePage): void {
    const { positions: before } = reader;
    const newest = before.at(-1);
    if (newest === position) return;
    this.#sent.hold(position, page);
    if (newest !== undefined) this.#sent.leave(newest, this.#options.nowMs());
    const known = [...before.filter((each) => each !== position), position];
    for (const old of known.slice(0, -resumableCount)) this.#sent.drop(old);
    reader.positions = known.slice(-resumableCount);
  }

  /** The rows of entries; undefined if one has another hash now. */
  #read({ entries, places }: PageDifference, { rows }: LiveState): readonly FoundFleetRow[] | undefined {
    const found: FoundFleetRow[] = [];
    for (const [at, { key, rowHash, troubledSinceMs }] of entries.entries()) {
      const { cluster, resource } = key;
      const table = this.#options.tables.get(cluster)?.tables.get(resource);
      const row = rows?.[places[at] ?? -1] ?? (table === undefined ? undefined : findRow(table, key));
      if (row?.rowHash !== rowHash) return undefined;
      found.push({ cluster, resource, kind: table?.kind ?? "", row, troubledSinceMs });
    }
    return found;
  }

  /** The registered clusters that the query selects, of those that the user may know of. */
  #clustersOf(reader: LiveReader): readonly string[] {
    const { question, by, covered } = reader;
    if (covered?.by === by && covered.version === this.#fieldsVersion) return covered.clusters;
    const clusters: string[] = [];
    for (const fields of this.#options.clusterFields.values())
      if (by.clusters?.has(fields.cluster) !== false && selectsCluster(question.filter, fields))
        clusters.push(fields.cluster);
    reader.covered = { by, version: this.#fieldsVersion, clusters };
    return clusters;
  }
}

/** Whether the reader has got the state. */
function isShown({ page, shown, seen }: LiveReader, state: LiveState, clusters: readonly string[]): boolean {
  if (page === undefined || shown === undefined || !isSameClusters(shown, clusters)) return false;
  if (seen?.deref() === state) return true;
  return isSameState({ page, total: shown.total, facets: shown.facets }, state);
}

function isSameClusters({ clusters }: ShownCounts, others: readonly string[]): boolean {
  if (clusters === others) return true;
  return clusters.length === others.length && clusters.every((cluster, at) => cluster === others[at]);
}

function findRow(table: KindTable, { namespace, name }: QueryKey): Row | undefined {
  const row = table.findRow(namespace, name);
  return row < 0 ? undefined : readRow(table, row);
}
