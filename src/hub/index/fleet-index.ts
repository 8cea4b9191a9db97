// SPDX-License-Identifier: Apache-2.0

import { createHmac } from "node:crypto";
import type { Clock } from "../../base/time/clock.ts";
import type { AccessRuleRow } from "../../index/access/access-rule-rows.ts";
import type { GrantedApplication } from "../../index/access/application-objects.ts";
import type { ObjectExplanation } from "../../index/access/explain-object.ts";
import { createSubjectMapper, type IdentityMapping, sameIdentities } from "../../index/access/identity-mapping.ts";
import type { ObjectViewers } from "../../index/access/who-can-see.ts";
import type { ClusterSize } from "../../index/fold/cluster-size.ts";
import { FleetTables } from "../../index/fold/fleet-tables.ts";
import type { FoldPlace } from "../../index/fold/fold-part.ts";
import { createCursorCodec } from "../../index/query/cursor-codec.ts";
import type { RelationsAnswer } from "../../index/relations/find-relations.ts";
import type { ClusterFields } from "../../index/scan/row-filter.ts";
import type { Codec } from "../../model/rows/codec.ts";
import type { Digest } from "../../model/rows/digest.ts";
import type { Hasher } from "../../model/rows/hasher.ts";
import type { Subject } from "../../model/subject.ts";
import type { AccessSample, SampledRequest } from "../../session/access-samples/access-sample.ts";
import type {
  AccessPreview,
  AskedUser,
  CompareAnswer,
  CompareQuery,
  FleetQuery,
  FleetQueryAnswer,
  LiveQuery,
  LiveQueryUpdate,
  ProblemQuery,
  ProblemsAnswer,
  QueriedObject,
  QueryCompletions,
} from "../rows/fleet-queries.ts";
import type {
  ClusterSummary,
  FleetKey,
  KeyStatus,
  KindPage,
  RowChange,
  WorstRow,
  WorstRowsRequest,
} from "../rows/fleet-reader.ts";
import { AccessReads } from "./access-reads.ts";
import { AccessSampling } from "./access-sampling.ts";
import { AnalysisReads } from "./analysis-reads.ts";
import { CheckpointReads } from "./checkpoint-reads.ts";
import { FleetAccess, type SubjectMapper } from "./fleet-access.ts";
import { FleetCatalogs } from "./fleet-catalog.ts";
import { FlushFolds } from "./flush-folds.ts";
import type {
  AppliedSegments,
  CommittedFlush,
  LoadOutcome,
  OpenCheckpoint,
  PrepareOutcome,
  SentPart,
  StoredSegment,
} from "./index-messages.ts";
import { LiveEngine } from "./live-engine.ts";
import { PastIndex } from "./past-index.ts";
import { PastReads } from "./past-reads.ts";
import type { QueriedMoment } from "./queried-moment.ts";
import { QueryRuns, type QueryViewer } from "./query-runs.ts";
import { RowReads } from "./row-reads.ts";
import type { Viewer } from "./row-viewer.ts";
import { type OpenSnapshot, SnapshotReads } from "./snapshot-reads.ts";

export interface FleetIndexOptions {
  readonly codec: Codec;
  readonly hasher: Hasher;
  /** The limits of one cluster. */
  readonly limits: ClusterSize;
  /** Resolves after other work of the thread had the chance to run. */
  readonly pause: () => Promise<void>;
  readonly clock: Pick<Clock, "nowMs" | "wallMs" | "setTimer">;
  /** Signs the cursors of queries. */
  readonly cursorKey: Uint8Array;
  /** Who a user of the hub is in clusters without a mapping. Default: the same, without names of `system:`. */
  readonly mapSubject?: SubjectMapper;
  /** The limit on the memory of past rows; the default where left out. */
  readonly pastBytes?: number;
}

/**
 * The rows of the whole fleet, in the index thread. It is the only copy of the rows in the hub: flushes are folded into
 * it, checkpoints are written from it, and all reads are answered by it. Flushes of one cluster come one at a time.
 */
export class FleetIndex extends PastIndex {
  readonly #folds: FlushFolds;
  readonly #access: FleetAccess;
  readonly #rows: RowReads;
  readonly #checkpoints: CheckpointReads;
  readonly #snapshots: SnapshotReads;
  readonly #clusterFields = new Map<string, ClusterFields>();
  readonly #queries: QueryRuns;
  readonly #analysis: AnalysisReads;
  readonly #accessReads: AccessReads;
  readonly #sampling: AccessSampling;
  readonly #live: LiveEngine;
  protected readonly past: PastReads;
  readonly #present: QueriedMoment;
  readonly tables: FleetTables;

  constructor(options: FleetIndexOptions) {
    super();
    this.tables = new FleetTables();
    const defaultMapper = options.mapSubject ?? createSubjectMapper(sameIdentities);
    this.#access = new FleetAccess({ tables: this.tables, defaultMapper });
    this.#folds = new FlushFolds({
      ...options,
      tables: this.tables,
      access: this.#access,
      onChange: () => this.#live.noteChange(),
    });
    this.#rows = new RowReads(this.tables, this.#access);
    this.#checkpoints = new CheckpointReads({ ...options, tables: this.tables });
    this.#snapshots = new SnapshotReads(this.tables, this.#access);
    this.#accessReads = new AccessReads(this.tables, this.#access);
    this.#sampling = new AccessSampling(this.tables, this.#access);
    const { clock, pause, cursorKey, hasher } = options;
    const shared = {
      tables: this.tables,
      access: this.#access,
      cursors: createCursorCodec(cursorKey, hmacSha256),
      wallMs: () => clock.wallMs(),
    };
    this.#queries = new QueryRuns({
      ...shared,
      catalogs: new FleetCatalogs(this.tables, this.#access),
      clusterFields: this.#clusterFields,
      nowMs: () => clock.nowMs(),
      pause,
    });
    this.#analysis = new AnalysisReads({ ...shared, runs: this.#queries, hasher });
    this.#present = { fleet: this.tables, atMs: undefined };
    this.past = new PastReads({
      ...options,
      ...shared,
      runs: this.#queries,
      clusterFields: this.#clusterFields,
      limitBytes: options.pastBytes,
    });
    this.#live = new LiveEngine({
      tables: this.tables,
      access: this.#access,
      read: (text, by) => this.#queries.read(text, by),
      clusterFields: this.#clusterFields,
      clock,
      pause,
      positionKey: cursorKey,
      mac: hmacSha256,
    });
  }

  /** Decodes and checks a flush and prepares its fold. Nothing of it is visible before `commit`. */
  prepare(cluster: string, sent: readonly SentPart[]): Promise<PrepareOutcome> {
    return this.#folds.prepare(cluster, sent);
  }

  /** Makes the prepared flush of a cluster visible in one step, all kinds together (L2, N-27). */
  commit(cluster: string, place: FoldPlace): Promise<CommittedFlush> {
    return this.#folds.commit(cluster, place);
  }

  /** Drops the prepared flush of a cluster, if there is one. */
  discard(cluster: string): Promise<void> {
    return this.#folds.discard(cluster);
  }

  /** Makes a stored flush visible, in one step (L2). Segments that cannot be read are left out. */
  applyStored(cluster: string, segments: readonly StoredSegment[], place: FoldPlace): Promise<AppliedSegments> {
    return this.#folds.applyStored(cluster, segments, place);
  }

  /** Folds a stored segment without reporting changes. Segments of one cluster are folded in the order of the calls. */
  load(cluster: string, segment: StoredSegment): Promise<LoadOutcome> {
    return this.#folds.load(cluster, segment);
  }

  /** The digests of the session's buckets, in order (SE24). */
  async bucketDigests(cluster: string, resource: string): Promise<readonly Digest[]> {
    return this.tables.bucketDigests(cluster, resource);
  }

  /** Whether the cluster's RBAC rows were ever complete. None of its rows is shown before (L2). */
  async setRbacComplete(cluster: string, isComplete: boolean): Promise<void> {
    this.tables.setRbacComplete(cluster, isComplete);
    if (isComplete) this.tables.trim(cluster);
    this.#access.noteShown(cluster, isComplete);
    this.#live.noteChange();
  }

  /** What queries know of a registered cluster besides its rows; undefined after its removal. */
  async setFields(cluster: string, fields: ClusterFields | undefined): Promise<void> {
    this.tables.setFields(cluster, fields);
    if (fields === undefined) this.#clusterFields.delete(cluster);
    else this.#clusterFields.set(cluster, fields);
    this.#live.noteFields();
  }

  /**
   * Answers a query. `id` names it for `cancelQuery`. `past`: the read of past rows that it is about; the present rows if
   * left out.
   */
  async query(id: number, by: QueryViewer, query: FleetQuery, past?: number): Promise<FleetQueryAnswer> {
    return this.#queries.run(id, by, query, this.#momentOf(past));
  }

  async listProblems(id: number, by: QueryViewer, query: ProblemQuery, past?: number): Promise<ProblemsAnswer> {
    return this.#analysis.listProblems(id, by, query, this.#momentOf(past));
  }

  async compare(id: number, by: QueryViewer, query: CompareQuery, past?: number): Promise<CompareAnswer> {
    return this.#analysis.compare(id, by, query, this.#momentOf(past));
  }

  /** Undefined if the object is hidden or does not exist. */
  findRelations(id: number, by: QueryViewer, object: QueriedObject): Promise<RelationsAnswer | undefined> {
    return this.#analysis.findRelations(id, by, object);
  }

  async listAccessRules(
    viewer: Viewer,
    user: AskedUser | undefined,
    clusters: readonly string[],
  ): Promise<readonly AccessRuleRow[]> {
    return this.#accessReads.listRules(viewer, user, clusters);
  }

  async explainAccess(viewer: Viewer, user: AskedUser | undefined, object: QueriedObject): Promise<ObjectExplanation> {
    return this.#accessReads.explain(viewer, user, object);
  }

  async listViewers(viewer: Viewer, object: QueriedObject): Promise<ObjectViewers> {
    return this.#accessReads.listViewers(viewer, object);
  }

  async previewAccess(viewer: Viewer, cluster: string, objects: readonly string[]): Promise<AccessPreview> {
    return this.#accessReads.preview(viewer, cluster, objects);
  }

  /** Requests to compare with the cluster's own answers. `draws` are random numbers in [0, 1). */
  async drawAccessSamples(cluster: string, draws: readonly number[]): Promise<readonly AccessSample[]> {
    return this.#sampling.draw(cluster, draws);
  }

  async answerRequests(cluster: string, requests: readonly SampledRequest[]): Promise<readonly boolean[]> {
    return this.#sampling.answer(cluster, requests);
  }

  /** Continuations of a query text at a caret. */
  complete(id: number, by: QueryViewer, text: string, caret: number): Promise<QueryCompletions> {
    return this.#queries.complete(id, by, text, caret);
  }

  /** Opens a live view. Throws INVALID_ARGUMENT for a mistake in its query, and OVERLOADED if too many are open. */
  async openView(by: QueryViewer, query: LiveQuery): Promise<{ readonly id: number }> {
    return this.#live.open(by, query);
  }

  /** What changed in a live view since the last call; undefined if nothing does for some seconds. */
  nextUpdate(id: number, change?: Pick<QueryViewer, "clusters">): Promise<LiveQueryUpdate | undefined> {
    return this.#live.next(id, change);
  }

  async closeView(id: number): Promise<void> {
    this.#live.close(id);
  }

  /** Ends a running query. */
  async cancelQuery(id: number): Promise<void> {
    this.#queries.cancel(id);
  }

  /** Sets who the hub's users are in a cluster; undefined for the default. */
  async setIdentity(cluster: string, mapping: IdentityMapping | undefined): Promise<void> {
    this.#access.setIdentity(cluster, mapping);
    this.#live.noteChange();
  }

  /** Sets the group whose members see every row of an adopted cluster; undefined for none. */
  async setOwnerGroup(cluster: string, group: string | undefined): Promise<void> {
    this.#access.setOwnerGroup(cluster, group);
    this.#live.noteChange();
  }

  /** Withholds the rows of a cluster from users, or shows them again. */
  async setWithheld(cluster: string, isWithheld: boolean): Promise<void> {
    this.#access.setWithheld(cluster, isWithheld);
    this.#live.noteChange();
  }

  /** Sets all applications, which show objects beside the clusters' own RBAC (AG3). */
  async setApplications(applications: readonly GrantedApplication[]): Promise<void> {
    this.#access.setApplications(applications);
    this.#live.noteChange();
  }

  /** Removes the rows of a cluster that was removed, or that is about to be reloaded. */
  removeCluster(cluster: string): Promise<void> {
    this.past.tables.removeCluster(cluster);
    return this.#folds.removeCluster(cluster);
  }

  /** Undefined for an unknown cluster or kind. The rows are those of this moment, however long they are read. */
  async openCheckpoint(cluster: string, resource: string): Promise<OpenCheckpoint | undefined> {
    return this.#checkpoints.open(cluster, resource);
  }

  /** The next piece, compressed; undefined after the last one, and for a checkpoint that was closed. */
  async readCheckpoint(id: number): Promise<Uint8Array | undefined> {
    return this.#checkpoints.read(id);
  }

  async closeCheckpoint(id: number): Promise<void> {
    this.#checkpoints.close(id);
  }

  /** Another number each time that what some subject sees may have changed. */
  async accessVersion(): Promise<number> {
    return this.#access.version;
  }

  /** For each subject, by cluster, a key that is equal for subjects who see the same objects of that cluster. */
  async listAccessKeys(subjects: readonly Subject[]): Promise<readonly ReadonlyMap<string, string>[]> {
    return subjects.map((subject) => this.#access.accessKeysOf(subject));
  }

  /** By cluster, a mark of what the viewer may see of it; clusters that are not shown are missing. */
  async listAccessMarks({ viewer, clusters }: QueryViewer): Promise<ReadonlyMap<string, string>> {
    const marks = new Map<string, string>();
    for (const cluster of this.tables.clusters()) {
      if (viewer.kind === "hub" || clusters?.has(cluster) === false) continue;
      const mark = this.#access.accessMarkOf(viewer.subject, cluster);
      if (mark !== undefined) marks.set(cluster, mark);
    }
    return marks;
  }

  async summarize(viewer: Viewer, cluster: string): Promise<ClusterSummary> {
    return this.#rows.summarize(viewer, cluster);
  }

  async listWorstRows(
    viewer: Viewer,
    cluster: string,
    request: WorstRowsRequest,
  ): Promise<readonly WorstRow[] | undefined> {
    return this.#rows.listWorst(viewer, cluster, request);
  }

  async getStatuses(viewer: Viewer, keys: readonly FleetKey[]): Promise<readonly (KeyStatus | undefined)[]> {
    return this.#rows.getStatuses(viewer, keys);
  }

  /** The changes of objects whose changes the viewer may watch. */
  async filterChanges(viewer: Viewer, cluster: string, changes: readonly RowChange[]): Promise<readonly RowChange[]> {
    return this.#rows.filterChanges(viewer, cluster, changes);
  }

  /** All visible rows of these resources; of all resources if omitted. */
  async openSnapshot(viewer: Viewer, cluster: string, resources?: ReadonlySet<string>): Promise<OpenSnapshot> {
    return this.#snapshots.open(viewer, cluster, this.#rows.summarize(viewer, cluster), resources);
  }

  /** The next page; undefined after the last one. Throws UNAVAILABLE for a snapshot that was closed. */
  async readSnapshot(id: number): Promise<KindPage | undefined> {
    return this.#snapshots.read(id);
  }

  async closeSnapshot(id: number): Promise<void> {
    this.#snapshots.close(id);
  }

  /** By resource, the other names that the cluster's CustomResourceDefinitions give it. */
  async listDefinedNames(cluster: string): Promise<ReadonlyMap<string, readonly string[]>> {
    return this.#rows.listDefinedNames(cluster);
  }

  async close(): Promise<void> {
    this.#live.closeAll();
    this.past.closeAll();
  }

  #momentOf(past: number | undefined): QueriedMoment {
    return past === undefined ? this.#present : this.past.momentOf(past);
  }
}

function hmacSha256(key: Uint8Array, message: Uint8Array): Uint8Array {
  return createHmac("sha256", key).update(message).digest();
}
