// SPDX-License-Identifier: Apache-2.0

import { orAborted } from "../../base/abort.ts";
import { assert } from "../../base/assert.ts";
import { FlotillaError } from "../../base/error.ts";
import type { Logger } from "../../base/log.ts";
import type { Clock } from "../../base/time/clock.ts";
import { isAboutPast } from "../../index/language/find-moment.ts";
import type { Subject } from "../../model/subject.ts";
import type { CallAuthorizer } from "../../rpc/auth/authorize-call.ts";
import type { FleetLog } from "../../store/fleet-log/fleet-log.ts";
import { hubSubject } from "../access/hub-subject.ts";
import { createViewerAccess, type ViewerAccess } from "../access/viewer-access.ts";
import type { IndexPort } from "../index/index-port.ts";
import { watchLive } from "../index/live-watch.ts";
import type { QueryViewer } from "../index/query-runs.ts";
import type { Viewer } from "../index/row-viewer.ts";
import { PastReader } from "../past/past-reader.ts";
import type { ChangeFeed } from "./change-feed.ts";
import type { FleetQueries, LiveQuery, LiveQueryUpdate } from "./fleet-queries.ts";
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
  type RowChange,
  type WantedChanges,
  type WorstRow,
  type WorstRowsRequest,
} from "./fleet-reader.ts";
import type { FleetRows } from "./fleet-rows.ts";
import { PastQueries, type RunQuery } from "./past-queries.ts";

export interface IndexFleetReaderOptions {
  readonly index: IndexPort;
  /** The history of the rows. */
  readonly fleetLog: Pick<FleetLog, "places" | "load">;
  readonly rows: Pick<FleetRows, "clusters" | "kinds">;
  readonly feed: ChangeFeed;
  readonly clock: Pick<Clock, "nowMs">;
  /** The ids of all registered clusters. */
  readonly clusterIds: () => Iterable<string>;
  /** Decides who may list and watch rows. */
  readonly authorizer: CallAuthorizer;
  readonly log: Logger;
}

/**
 * Reads the rows of the index. A subject needs the hub's permission to list or watch rows at all; which rows it sees is
 * decided in the index, by each cluster's own RBAC (L17).
 */
export class IndexFleetReader implements FleetReader {
  readonly #options: IndexFleetReaderOptions;
  /** One per subject object, so that a failing permission check is logged once. */
  readonly #accesses = new WeakMap<Subject, ViewerAccess>();
  readonly #past: PastReader;
  #queryId = 0;

  constructor(options: IndexFleetReaderOptions) {
    this.#options = options;
    this.#past = new PastReader(options);
  }

  loadAccessVersion(): Promise<number> {
    return this.#options.index.accessVersion();
  }

  async listAccessKeys(subjects: readonly Subject[]): Promise<readonly (ReadonlyMap<string, string> | undefined)[]> {
    const allowed = subjects.filter((subject) => this.#may("list", subject));
    const keys = allowed.length === 0 ? [] : await this.#options.index.listAccessKeys(allowed);
    const bySubject = new Map(allowed.map((subject, at) => [subject, keys[at]]));
    return subjects.map((subject) => bySubject.get(subject));
  }

  async listClusters(subject: Subject): Promise<readonly string[]> {
    this.#assertMay("list", subject);
    return this.#options.rows.clusters();
  }

  async summarize(subject: Subject, cluster: string): Promise<ClusterSummary | undefined> {
    return this.#may("list", subject) ? this.#options.index.summarize(toViewer(subject), cluster) : undefined;
  }

  async listWorstRows(
    subject: Subject,
    cluster: string,
    request: WorstRowsRequest,
  ): Promise<readonly WorstRow[] | undefined> {
    this.#assertMay("list", subject);
    return this.#options.index.listWorstRows(toViewer(subject), cluster, request);
  }

  async getStatuses(subject: Subject, keys: readonly FleetKey[]): Promise<readonly (KeyStatus | undefined)[]> {
    this.#assertMay("list", subject);
    assert(keys.length <= maxKeyCount, "a read of statuses has a bound");
    return this.#options.index.getStatuses(toViewer(subject), keys);
  }

  async snapshot(subject: Subject, cluster: string, resources?: ReadonlySet<string>): Promise<ClusterSnapshot> {
    this.#assertMay("list", subject);
    const { index } = this.#options;
    const { id, summary } = await index.openSnapshot(toViewer(subject), cluster, resources);
    if (summary.areRowsShown || summary.kinds.length === 0) return { ...summary, pages: () => pagesOf(index, id) };
    await index.closeSnapshot(id);
    throw notShown(cluster);
  }

  changes(subject: Subject, wanted: WantedChanges = {}): ChangeReader {
    const { feed, index } = this.#options;
    const viewer = toViewer(subject);
    const toVisible = async (flush: FlushChanges): Promise<FlushChanges> => {
      this.#assertMay("watch", subject);
      const { position, cluster, receivedAtMs } = flush;
      const found = findWanted(flush, wanted);
      // Every open watch reads every flush. The index is asked only about changes that this one needs.
      const changes = found.length === 0 ? found : await index.filterChanges(viewer, cluster, found);
      return { position, cluster, receivedAtMs, changes };
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
        for await (const flush of feed.read(from, signal)) yield await toVisible(flush);
      },
      async *readBack(upTo) {
        for (const flush of feed.readBack(upTo)) yield await toVisible(flush);
      },
    };
  }

  queries(subject: Subject): FleetQueries {
    const { index } = this.#options;
    const viewer = toViewer(subject);
    const queryViewer = (): QueryViewer => {
      this.#assertMay("list", subject);
      return { viewer, clusters: this.#clustersOf(subject) };
    };
    const run: RunQuery = async (ask, signal) => {
      const by = queryViewer();
      this.#queryId += 1;
      const id = this.#queryId;
      const answering = ask(id, by);
      if (signal === undefined) return answering;
      return orAborted(answering, signal).catch((reason: unknown) => {
        if (signal.aborted) void index.cancelQuery(id);
        throw reason;
      });
    };
    const past = new PastQueries({ reader: this.#past, index, viewer: queryViewer }, run);
    const ask = async <Answer>(read: () => Promise<Answer>): Promise<Answer> => {
      this.#assertMay("list", subject);
      return read();
    };
    return {
      subject,
      list: (query, signal) => {
        const answer = (id: number, by: QueryViewer, at?: number) => index.query(id, by, query, at);
        const needsPast = query.deleted !== undefined || isAboutPast(query.text);
        return needsPast ? past.ask({ kind: "list", query }, answer, signal) : run(answer, signal);
      },
      listChanges: (query, signal) => past.listChanges(query, signal),
      loadPast: (query, report, signal) => past.load(query, report, signal),
      watch: (query, signal) => this.#watch(subject, query, signal),
      listProblems: (query, signal) => {
        const answer = (id: number, by: QueryViewer, at?: number) => index.listProblems(id, by, query, at);
        return isAboutPast(query.text) ? past.ask({ kind: "problems", query }, answer, signal) : run(answer, signal);
      },
      compare: (query, signal) => {
        const answer = (id: number, by: QueryViewer, at?: number) => index.compare(id, by, query, at);
        return isAboutPast(query.text) ? past.ask({ kind: "compare", query }, answer, signal) : run(answer, signal);
      },
      findRelations: (object, signal) => run((id, by) => index.findRelations(id, by, object), signal),
      complete: (text, caret) => run((id, by) => index.complete(id, by, text, caret), undefined),
      accessMarks: async () => index.listAccessMarks(queryViewer()),
      listAccessRules: (user, clusters) => ask(() => index.listAccessRules(viewer, user, clusters)),
      explainAccess: (user, object) => ask(() => index.explainAccess(viewer, user, object)),
      listViewers: (object) => ask(() => index.listViewers(viewer, object)),
      previewAccess: (cluster, objects) => ask(() => index.previewAccess(viewer, cluster, objects)),
    };
  }

  /** What a live view shows, the subject may list and watch in its cluster. Ends when the hub's permission ends. */
  #watch(subject: Subject, query: LiveQuery, signal: AbortSignal): AsyncIterable<LiveQueryUpdate | "unchanged"> {
    const { index, clock } = this.#options;
    const viewer = toViewer(subject);
    const by = (): QueryViewer => {
      this.#assertMay("list", subject);
      this.#assertMay("watch", subject);
      return { viewer, clusters: this.#clustersOf(subject) };
    };
    return watchLive({ index, clock, by }, query, signal);
  }

  async listKinds(_subject: Subject, cluster: string): Promise<readonly Pick<KindPosition, "resource" | "kind">[]> {
    return this.#options.rows.kinds(cluster);
  }

  listDefinedNames(_subject: Subject, cluster: string): Promise<ReadonlyMap<string, readonly string[]>> {
    return this.#options.index.listDefinedNames(cluster);
  }

  /** The clusters that the hub shows to the subject; undefined for all. */
  #clustersOf(subject: Subject): ReadonlySet<string> | undefined {
    if (subject === hubSubject) return undefined;
    const access = this.#accessOf(subject);
    if (access.canSeeCluster("")) return undefined;
    return new Set([...this.#options.clusterIds()].filter((id) => access.canSeeCluster(id)));
  }

  #accessOf(subject: Subject): ViewerAccess {
    const { authorizer, log } = this.#options;
    const access = this.#accesses.get(subject) ?? createViewerAccess(authorizer, subject, log);
    this.#accesses.set(subject, access);
    return access;
  }

  #assertMay(verb: "list" | "watch", subject: Subject): void {
    if (this.#may(verb, subject)) return;
    const sentence = `you have no permission to ${verb} rows; ask an administrator for it`;
    throw new FlotillaError("PERMISSION_DENIED", sentence);
  }

  #may(verb: "list" | "watch", subject: Subject): boolean {
    if (subject === hubSubject) return true;
    const access = this.#accessOf(subject);
    return verb === "list" ? access.seesObjects() : access.watchesRows();
  }
}

function findWanted(flush: FlushChanges, { clusters, resources }: WantedChanges): readonly RowChange[] {
  if (clusters !== undefined && clusters.size > 0 && !clusters.has(flush.cluster)) return [];
  if (resources === undefined || resources.size === 0) return flush.changes;
  return flush.changes.filter(({ resource }) => resources.has(resource));
}

function toViewer(subject: Subject): Viewer {
  return subject === hubSubject ? { kind: "hub" } : { kind: "user", subject };
}

async function* pagesOf(index: IndexPort, id: number): AsyncGenerator<KindPage, void, undefined> {
  try {
    for (;;) {
      const page = await index.readSnapshot(id);
      if (page === undefined) return;
      yield page;
    }
  } finally {
    await index.closeSnapshot(id);
  }
}

function notShown(cluster: string): FlotillaError {
  return new FlotillaError(
    "UNAVAILABLE",
    `rows of ${cluster} are shown when its RBAC objects are complete; try again when it is live`,
  );
}
