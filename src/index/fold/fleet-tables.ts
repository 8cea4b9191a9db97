// SPDX-License-Identifier: Apache-2.0
import { RowBatch } from "../../model/row-batch/row-batch.ts";
import type { RowBatchParts } from "../../model/row-batch/row-batch-parts.ts";
import { type Digest, emptyDigest } from "../../model/rows/digest.ts";
import type { Row } from "../../model/rows/row.ts";
import { type Status, statusRank } from "../../model/status.ts";
import { compareUtf8 } from "../../model/text.ts";
import type { ClusterFields } from "../scan/row-filter.ts";
import { stepRowCount } from "../table/apply-part.ts";
import type { ClusterTexts } from "../table/cluster-texts.ts";
import type { KindTable } from "../table/kind-table.ts";
import { readRow } from "../table/read-row.ts";
import { TextDictionary } from "../table/text-dictionary.ts";
import { ClusterCompaction } from "./cluster-compaction.ts";
import type { ClusterSize } from "./cluster-size.ts";
import { findWorstRows, type WorstRequest } from "./find-worst-rows.ts";
import type {
  DigestedFacts,
  FoldPart,
  FoldPlace,
  KindSnapshot,
  PreparedFold,
  TableFacts,
  TableSummary,
} from "./fold-part.ts";
import { HeldCluster } from "./held-cluster.ts";
import { createSnapshot } from "./kind-snapshots.ts";
import { prepareFold } from "./prepare-folds.ts";
import type { DeltaSink } from "./table-delta.ts";

/** Fewer namespaces of the fleet, used or not, take some megabytes at most. */
const leastNamespaceCount = 65_536;

/** The tables of one cluster, as queries read them. */
export interface IndexedCluster {
  readonly fields: ClusterFields;
  readonly texts: ClusterTexts;
  /** By the text of the resource id. */
  readonly tables: ReadonlyMap<string, KindTable>;
}

/** Names an object of a kind. */
interface ObjectKey {
  /** "" for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

/**
 * The rows of all clusters in columns: the one copy in the hub. Flushes are folded into it, and queries read it. Every
 * call is synchronous and therefore atomic. It has no subject: its readers decide what they show (L17).
 */
export class FleetTables {
  readonly #directRowCount: number;
  readonly #clusters = new Map<string, HeldCluster>();
  readonly #fields = new Map<string, ClusterFields>();
  #namespaces = new TextDictionary();
  /** Ids of clusters in order; undefined after one was added or removed. */
  #order: readonly string[] | undefined;
  #deltas: DeltaSink | undefined;

  /**
   * The namespaces of all clusters. Another object after unused ones were removed: ids that were read before are then
   * invalid.
   */
  get namespaces(): TextDictionary {
    return this.#namespaces;
  }

  /** `directRowCount`: the largest flush, in rows, that is applied without a fork. */
  constructor(directRowCount = stepRowCount) {
    this.#directRowCount = directRowCount;
  }

  /**
   * Prepares applying parts, in order. Equal rows change nothing. `isExact` requests the exact size after the fold,
   * which costs a fork of its kinds. What an earlier fold of the cluster prepared and did not commit is dropped.
   */
  prepare<Part extends FoldPart>(cluster: string, parts: readonly Part[], isExact = false): PreparedFold<Part> {
    const held = this.#clusters.get(cluster) ?? new HeldCluster(noFields(cluster), this.namespaces);
    held.texts.rollback();
    const directRowCount = isExact ? -1 : this.#directRowCount;
    const onCommit = (): void => this.#add(cluster, held);
    return prepareFold(held, parts, { directRowCount, onCommit, deltas: this.#deltas });
  }

  /** What small flushes change is given to `sink`, in the step in which it becomes visible. */
  reportDeltas(sink: DeltaSink): void {
    this.#deltas = sink;
  }

  /** Applies a stored part at once, without reporting changes. */
  load(cluster: string, part: FoldPart, place: FoldPlace): void {
    const held = this.#open(cluster);
    held.open(part.resource).apply(part);
    held.texts.commit();
    held.moveTo(part.resource, place);
  }

  /** Applies a batch that has no place in a fleet log. The fields become those of the cluster. */
  fold(fields: ClusterFields, resource: string, parts: RowBatchParts): void {
    this.setFields(fields.cluster, fields);
    const part = { resource, form: { kind: "delta" } as const, batch: new RowBatch(parts) };
    this.load(fields.cluster, part, { position: 0, receivedAtMs: 0 });
  }

  /** Releases memory that was reserved for growth: after the rows of a cluster were loaded. */
  trim(cluster: string): void {
    const held = this.#clusters.get(cluster);
    held?.texts.trim();
    for (const table of held?.tables.values() ?? []) table.trim();
  }

  /** Whether half of a cluster's texts may be garbage. */
  isGarbageSuspected(cluster: string): boolean {
    return this.#clusters.get(cluster)?.texts.isGarbageSuspected ?? false;
  }

  /**
   * Prepares the removal of a cluster's texts that no row uses any more. Run its steps, then `commit` it. Undefined for
   * an unknown cluster. A fold of the cluster that is prepared and not committed is dropped.
   */
  prepareCompaction(cluster: string): ClusterCompaction | undefined {
    const held = this.#clusters.get(cluster);
    held?.texts.rollback();
    return held === undefined ? undefined : new ClusterCompaction(held, () => this.#namespaces);
  }

  /**
   * Removes the namespaces that no cluster has any more, if they are many. Takes some milliseconds. Call it after
   * clusters were compacted or removed, while no query runs.
   */
  compactNamespaces(): void {
    if (this.#namespaces.count < leastNamespaceCount) return;
    const used = new Uint8Array(this.#namespaces.count);
    for (const { texts } of this.#clusters.values()) for (const id of texts.fleetNamespaces) used[id] = 1;
    const usedCount = used.reduce((sum, flag) => sum + flag, 0);
    if (usedCount * 2 > used.length) return;
    this.#namespaces = new TextDictionary();
    for (const { texts } of this.#clusters.values()) texts.useFleetNames(this.#namespaces);
  }

  /** The tables of a cluster, for queries. Borrowed until the next fold. */
  get(cluster: string): IndexedCluster | undefined {
    return this.#clusters.get(cluster);
  }

  /** Ids of clusters in bytewise order. */
  clusterIds(): readonly string[] {
    this.#order ??= [...this.#clusters.keys()].sort(compareUtf8);
    return this.#order;
  }

  /** What queries know of a cluster besides its rows. Undefined removes it. It outlives the rows. */
  setFields(cluster: string, fields: ClusterFields | undefined): void {
    if (fields === undefined) this.#fields.delete(cluster);
    else this.#fields.set(cluster, fields);
    const held = this.#clusters.get(cluster);
    if (held !== undefined) held.fields = fields ?? noFields(cluster);
  }

  clusters(): readonly string[] {
    return [...this.#clusters.keys()];
  }

  kinds(cluster: string): readonly TableFacts[] {
    const held = this.#clusters.get(cluster);
    return held === undefined ? [] : Array.from(held.tables.keys(), (resource) => held.facts(resource));
  }

  /** The place of one kind's rows in the fleet log. All zero for an unknown one. */
  kindPlace(cluster: string, resource: string): FoldPlace {
    return this.#clusters.get(cluster)?.facts(resource) ?? { position: 0, receivedAtMs: 0 };
  }

  /** The position and digest of one kind. All zero for an unknown one. */
  kindFacts(cluster: string, resource: string): DigestedFacts {
    const facts = this.#clusters.get(cluster)?.facts(resource);
    const none = { resource, kind: "", rowCount: 0, receivedAtMs: 0, position: 0 };
    return { ...(facts ?? none), digest: this.kindDigest(cluster, resource) };
  }

  /** All kinds of a cluster, with the status of their rows. Reads no row. */
  summarizeKinds(cluster: string): readonly TableSummary[] {
    return this.kinds(cluster).map((facts) => ({
      ...facts,
      statusCounts: this.statusCounts(cluster, facts.resource),
      troubledSinceMs: this.#table(cluster, facts.resource)?.oldestTroubleMs,
    }));
  }

  kindDigest(cluster: string, resource: string): Digest {
    return this.#table(cluster, resource)?.digest ?? emptyDigest;
  }

  /** The digests of the session's buckets, in order (SE24). */
  bucketDigests(cluster: string, resource: string): readonly Digest[] {
    return this.#table(cluster, resource)?.bucketDigests() ?? [];
  }

  rowCount(cluster: string): number {
    return this.#clusters.get(cluster)?.rowCount ?? 0;
  }

  size(cluster: string): ClusterSize {
    return this.#clusters.get(cluster)?.size() ?? { rowCount: 0, kindCount: 0, bytes: 0 };
  }

  getRow(cluster: string, resource: string, { namespace, name }: ObjectKey): Row | undefined {
    const table = this.#table(cluster, resource);
    const row = table?.findRow(namespace, name) ?? -1;
    return table === undefined || row === -1 ? undefined : readRow(table, row);
  }

  /** Maintained with every fold, so reading is cheap. All zero for an unknown cluster or kind. */
  statusCounts(cluster: string, resource: string): Readonly<Record<Status, number>> {
    const table = this.#table(cluster, resource);
    const countOf = (status: Status): number => table?.statusCount(statusRank(status)) ?? 0;
    return {
      unhealthy: countOf("unhealthy"),
      degraded: countOf("degraded"),
      progressing: countOf("progressing"),
      terminating: countOf("terminating"),
      suspended: countOf("suspended"),
      unknown: countOf("unknown"),
      healthy: countOf("healthy"),
      completed: countOf("completed"),
    };
  }

  /** The worst rows first; rows of one status in key order. */
  worstRows(cluster: string, resource: string, request: WorstRequest): readonly Row[] {
    const table = this.#table(cluster, resource);
    return table === undefined ? [] : findWorstRows(table, request);
  }

  /**
   * The time since when an object is in trouble, by the hub's wall clock. Undefined if it is not, or if the time is
   * unknown (HE18).
   */
  troubledSinceMs(cluster: string, resource: string, { namespace, name }: ObjectKey): number | undefined {
    const table = this.#table(cluster, resource);
    return table?.troubledSinceMs(table.findRow(namespace, name));
  }

  /** Undefined for an unknown cluster or kind. */
  snapshot(cluster: string, resource: string): KindSnapshot | undefined {
    const held = this.#clusters.get(cluster);
    const table = held?.tables.get(resource);
    if (held === undefined || table === undefined) return undefined;
    return createSnapshot(resource, table, held.facts(resource).position);
  }

  /** Whether the cluster's RBAC rows were ever complete. The reader shows none of its rows before (L2). */
  isRbacComplete(cluster: string): boolean {
    return this.#clusters.get(cluster)?.isRbacComplete ?? false;
  }

  setRbacComplete(cluster: string, isComplete: boolean): void {
    if (isComplete || this.#clusters.has(cluster)) this.#open(cluster).isRbacComplete = isComplete;
  }

  /** Removes the rows of a cluster that was removed, or that is about to be reloaded. */
  removeCluster(cluster: string): void {
    this.#clusters.delete(cluster);
    this.#order = undefined;
  }

  #table(cluster: string, resource: string): KindTable | undefined {
    return this.#clusters.get(cluster)?.tables.get(resource);
  }

  #open(cluster: string): HeldCluster {
    const held = this.#clusters.get(cluster) ?? new HeldCluster(noFields(cluster), this.namespaces);
    this.#add(cluster, held);
    return held;
  }

  #add(cluster: string, held: HeldCluster): void {
    if (this.#clusters.get(cluster) === held) return;
    held.fields = this.#fields.get(cluster) ?? noFields(cluster);
    this.#clusters.set(cluster, held);
    this.#order = undefined;
  }
}

function noFields(cluster: string): ClusterFields {
  return { cluster, region: "", environment: "" };
}
