// SPDX-License-Identifier: Apache-2.0
import { assert } from "../../base/assert.ts";
import { FlotillaError } from "../../base/error.ts";
import type { Logger } from "../../base/log.ts";
import { statusRank } from "../../model/status.ts";
import type { Subject } from "../../model/subject.ts";
import type { CallAuthorizer } from "../../rpc/auth/authorize-call.ts";
import { hubSubject } from "../access/hub-subject.ts";
import { createViewerAccess, type ViewerAccess } from "../access/viewer-access.ts";
import { inGroups, maxMessageChars, rowChars } from "./bounded-groups.ts";
import type { ChangeFeed } from "./change-feed.ts";
import { definitionResource, toDefinedNames } from "./defined-names.ts";
import {
  type ChangeReader,
  type ClusterSnapshot,
  type ClusterSummary,
  type FleetKey,
  type FleetReader,
  type FlushChanges,
  type KeyStatus,
  type KindPage,
  type KindPosition,
  maxKeyCount,
  type WorstRow,
  type WorstRowsRequest,
} from "./fleet-reader.ts";
import type { KindSnapshot } from "./fleet-rows.ts";
import type { MemoryFleetRows } from "./memory-fleet-rows.ts";

/** What this reader reads. Synchronous, so that each read is of one moment. */
type ReadableRows = Pick<
  MemoryFleetRows,
  "clusters" | "kinds" | "summarizeKinds" | "worstRows" | "troubledSinceMs" | "getRow" | "snapshot" | "isRbacComplete"
>;

export interface MemoryFleetReaderOptions {
  readonly rows: ReadableRows;
  readonly feed: ChangeFeed;
  /** Decides who may list and watch rows. */
  readonly authorizer: CallAuthorizer;
  readonly log: Logger;
}

/** Rows of one page: usually some 200 kB as a message, a twentieth of the message limit. */
const pageBounds = { maxCount: 500, maxSize: maxMessageChars, sizeOf: rowChars };

/** Reads the rows in the hub's memory: all of them for subjects that may list rows, none for others. */
export class MemoryFleetReader implements FleetReader {
  readonly #options: MemoryFleetReaderOptions;
  /** One per subject object, so that a failing permission check is logged once. */
  readonly #accesses = new WeakMap<Subject, ViewerAccess>();

  constructor(options: MemoryFleetReaderOptions) {
    this.#options = options;
  }

  async listClusters(subject: Subject): Promise<readonly string[]> {
    this.#assertMay("list", subject);
    return this.#options.rows.clusters();
  }

  async summarize(subject: Subject, cluster: string): Promise<ClusterSummary | undefined> {
    return this.#may("list", subject) ? this.#summarize(cluster) : undefined;
  }

  async listWorstRows(subject: Subject, cluster: string, request: WorstRowsRequest): Promise<readonly WorstRow[]> {
    this.#assertMay("list", subject);
    const { rows } = this.#options;
    if (!rows.isRbacComplete(cluster)) return [];
    const found = [...rows.kinds(cluster)]
      .sort((a, b) => (a.resource < b.resource ? -1 : 1))
      .flatMap(({ resource, kind }) =>
        rows.worstRows(cluster, resource, request).map((row) => ({ resource, kind, row })),
      )
      // Kinds and their rows are already sorted and the sort is stable, so it compares only the status.
      .sort((a, b) => statusRank(a.row.status) - statusRank(b.row.status));
    const bounds = {
      ...pageBounds,
      maxCount: request.limit,
      sizeOf: ({ row }: (typeof found)[number]) => rowChars(row),
    };
    const [first = []] = inGroups(found, bounds);
    return first.map((each) => ({
      ...each,
      troubledSinceMs: rows.troubledSinceMs(cluster, each.resource, each.row),
    }));
  }

  async getStatuses(subject: Subject, keys: readonly FleetKey[]): Promise<readonly (KeyStatus | undefined)[]> {
    this.#assertMay("list", subject);
    assert(keys.length <= maxKeyCount, "a read of statuses has a bound");
    const { rows } = this.#options;
    return keys.map(({ cluster, resource, ...key }) => {
      const row = rows.isRbacComplete(cluster) ? rows.getRow(cluster, resource, key) : undefined;
      return row === undefined ? undefined : { uid: row.uid, status: row.status };
    });
  }

  async snapshot(subject: Subject, cluster: string, resources?: ReadonlySet<string>): Promise<ClusterSnapshot> {
    this.#assertMay("list", subject);
    const summary = this.#summarize(cluster);
    if (!summary.areRowsShown && summary.rowCount > 0) throw notShown(cluster);
    const wanted = summary.kinds.filter(({ resource }) => resources?.has(resource) ?? true);
    // Taken before the first page is requested, so that all kinds are of one moment.
    const snapshots = wanted.map(({ resource }) => [resource, this.#options.rows.snapshot(cluster, resource)] as const);
    return { ...summary, pages: () => pagesOf(snapshots) };
  }

  changes(subject: Subject): ChangeReader {
    const { feed, rows } = this.#options;
    const toVisible = (flush: FlushChanges): FlushChanges => {
      this.#assertMay("watch", subject);
      const { position, cluster, receivedAtMs } = flush;
      return rows.isRbacComplete(cluster) ? flush : { position, cluster, receivedAtMs, changes: [] };
    };
    return {
      get cursor() {
        return feed.cursor;
      },
      get oldest() {
        return feed.oldest;
      },
      assertKept: (cursor) => feed.assertKept(cursor),
      async *read(from, signal) {
        for await (const flush of feed.read(from, signal)) yield toVisible(flush);
      },
      async *readBack(upTo) {
        for (const flush of feed.readBack(upTo)) yield toVisible(flush);
      },
    };
  }

  async listKinds(_subject: Subject, cluster: string): Promise<readonly Pick<KindPosition, "resource" | "kind">[]> {
    return this.#options.rows.kinds(cluster);
  }

  async listDefinedNames(_subject: Subject, cluster: string): Promise<ReadonlyMap<string, readonly string[]>> {
    return toDefinedNames(this.#options.rows.snapshot(cluster, definitionResource)?.rows() ?? []);
  }

  /** The status of rows is left out until they are shown (L2). */
  #summarize(cluster: string): ClusterSummary {
    const { rows } = this.#options;
    const areRowsShown = rows.isRbacComplete(cluster);
    const kinds = areRowsShown
      ? rows.summarizeKinds(cluster)
      : rows.kinds(cluster).map((kind) => ({ ...kind, statusCounts: undefined, troubledSinceMs: undefined }));
    return { areRowsShown, rowCount: kinds.reduce((sum, { rowCount }) => sum + rowCount, 0), kinds };
  }

  #assertMay(verb: "list" | "watch", subject: Subject): void {
    if (this.#may(verb, subject)) return;
    const sentence = `you have no permission to ${verb} rows; ask an administrator for it`;
    throw new FlotillaError("PERMISSION_DENIED", sentence);
  }

  #may(verb: "list" | "watch", subject: Subject): boolean {
    if (subject === hubSubject) return true;
    const { authorizer, log } = this.#options;
    const access = this.#accesses.get(subject) ?? createViewerAccess(authorizer, subject, log);
    this.#accesses.set(subject, access);
    return verb === "list" ? access.seesObjects() : access.watchesRows();
  }
}

async function* pagesOf(
  snapshots: readonly (readonly [string, KindSnapshot | undefined])[],
): AsyncGenerator<KindPage, void, undefined> {
  for (const [resource, snapshot] of snapshots)
    for (const group of snapshot?.groups ?? [])
      for (const rows of inGroups(group.rows(), pageBounds)) yield { resource, kind: group.kind, rows };
}

function notShown(cluster: string): FlotillaError {
  return new FlotillaError(
    "UNAVAILABLE",
    `rows of ${cluster} are shown when its RBAC objects are complete; try again when it is live`,
  );
}
