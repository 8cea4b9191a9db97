// SPDX-License-Identifier: Apache-2.0
import { toBinary } from "@bufbuild/protobuf";
import type { TaskGuard } from "../../../base/task-guard.ts";
import { ClusterObjectsSchema, FleetClusterSchema } from "../../../gen/flotilla/page/v1/page_pb.ts";
import { type ClusterId, parseClusterId } from "../../../model/cluster-id.ts";
import type { Subject } from "../../../model/subject.ts";
import type { CredentialWarning } from "../../fleet-services/credential-terms.ts";
import type { FleetParts } from "../../fleet-services/fleet-parts.ts";
import { type ClusterView, rowsAtMs } from "../../health/cluster-view.ts";
import type { AvailabilityStrips } from "../../history/availability-strips.ts";
import type { IncidentLedger } from "../../history/incident-ledger.ts";
import { cellOf } from "../../history/strip.ts";
import type { ClusterSummary } from "../../rows/fleet-reader.ts";
import { type MemoizedEncoding, memoizeEncoding } from "../memoized-encoding.ts";
import type { RowReaders } from "../user-scopes.ts";
import { toField } from "../wire-fragment.ts";
import { type AgentTracker, lagSecondsOf } from "./agent-tracker.ts";
import { toFailedEntry } from "./failed-entry.ts";
import { type FleetClusterFacts, toClusterObjects, toConnection, toFacts } from "./fleet-cluster-message.ts";
import type { FleetEntry } from "./fleet-entry.ts";
import { isSummaryFor } from "./is-summary-for.ts";
import { countTrouble } from "./unhealthy-objects.ts";

export interface FleetEntriesOptions {
  readonly parts: FleetParts;
  readonly agents: AgentTracker;
  readonly strips: AvailabilityStrips;
  readonly incidents: Pick<IncidentLedger, "returnsOf" | "dataAtMs">;
  readonly guard: TaskGuard;
}

const { strip: stripField, objects: objectsField } = FleetClusterSchema.field;

/** Times derived from durations vary with transit time. One that moved by less than this is unchanged. */
const sameMomentMs = 1_000;

/** An entry with the values that detect changes. */
interface KeptEntry extends FleetEntry {
  readonly nextAttemptMs: number | undefined;
  readonly credential: CredentialWarning | undefined;
}

type SummaryRead = PromiseSettledResult<ClusterSummary | undefined>;

/** Every cluster's entry. Each part is encoded once per change for all viewers. */
export class FleetEntries {
  readonly #options: FleetEntriesOptions;
  readonly #entries = new Map<string, KeptEntry>();
  readonly #touched = new Set<string>();
  /** Clusters whose rows may have changed since they were read. */
  readonly #unread = new Set<string>();
  /** What was read of each cluster's rows, by cluster and access key. */
  readonly #summaries = new Map<string, Map<string, SummaryRead>>();
  #healthPosition = -1;
  #cell = 0;

  constructor(options: FleetEntriesOptions) {
    this.#options = options;
  }

  /** In no particular order. */
  get entries(): ReadonlyMap<string, FleetEntry> {
    return this.#entries;
  }

  /** Marks a cluster as possibly changed. */
  touch(cluster: string): void {
    this.#touched.add(cluster);
    this.#unread.add(cluster);
  }

  /** Called for each heartbeat. Of a heartbeat's contents, only the credential has no other notifier. */
  noteHeard(cluster: string): void {
    const { credential } = this.#entries.get(cluster) ?? {};
    if (this.#options.parts.credentials.of(cluster) !== credential) this.touch(cluster);
  }

  /**
   * Reads the rows of touched clusters for each access key, and those of any cluster for a key that was not read before.
   * Does not reject: a failed read concerns the entry of its cluster (PG30).
   */
  async readRows(readers: RowReaders): Promise<void> {
    this.#touchChanged();
    const unread = new Set(this.#unread);
    this.#unread.clear();
    const reads = [...this.#entries.keys()].map((id) => this.#readCluster(id, readers.get(id), unread.has(id)));
    await Promise.all(reads);
  }

  /** Whether the rows of every cluster were read for each of its access keys. */
  hasRead(readers: RowReaders): boolean {
    for (const [id, ofCluster] of readers)
      for (const key of ofCluster.keys()) if (this.#summaries.get(id)?.has(key) !== true) return false;
    return true;
  }

  async #readCluster(id: string, readers: ReadonlyMap<string, Subject> = new Map(), isTouched: boolean): Promise<void> {
    const { reader } = this.#options.parts.fleet;
    const read = this.#summaries.get(id) ?? new Map<string, SummaryRead>();
    this.#summaries.set(id, read);
    for (const key of read.keys()) if (!readers.has(key)) read.delete(key);
    const wanted = [...readers].filter(([key]) => isTouched || !read.has(key));
    const results = await Promise.allSettled(wanted.map(([, subject]) => reader.summarize(subject, id)));
    for (const [at, [key]] of wanted.entries()) {
      const result = results[at];
      // The subject lost its right, or sees other objects, meanwhile: the next step reads as another.
      if (result?.status === "fulfilled" && !isSummaryFor(key, result.value)) this.#unread.add(id);
      else if (result !== undefined) read.set(key, result);
      this.#touched.add(id);
    }
  }

  /**
   * Refreshes the touched entries from what was read. Changed parts get this step. Returns whether clusters were added
   * or removed.
   */
  refresh(step: number): boolean {
    let membershipChanged = false;
    this.#touchChanged();
    const touched = [...this.#touched];
    this.#touched.clear();
    for (const id of touched) {
      const before = this.#entries.get(id);
      const entry = this.#tryRenew(id, before, step);
      if (entry === undefined) this.#forget(id);
      else this.#entries.set(id, entry);
      if ((entry === undefined) !== (before === undefined)) membershipChanged = true;
    }
    return membershipChanged;
  }

  #forget(cluster: string): void {
    const { agents, strips } = this.#options;
    this.#entries.delete(cluster);
    this.#summaries.delete(cluster);
    this.#unread.delete(cluster);
    agents.forget(cluster);
    strips.forget(cluster);
  }

  /**
   * Touches the clusters that the monitor reports; all clusters when the monitor's changes are no longer kept or a new
   * half hour has begun.
   */
  #touchChanged(): void {
    const { health, fleet, clock } = this.#options.parts;
    const changes = this.#healthPosition < 0 ? undefined : health.changesAfter(this.#healthPosition);
    const cell = cellOf(clock.wallMs());
    const isAll = changes === undefined || cell !== this.#cell;
    this.#healthPosition = health.position;
    this.#cell = cell;
    for (const { cluster } of changes ?? []) this.touch(cluster);
    if (isAll) for (const id of [...this.#entries.keys(), ...fleet.clusters.list().map(({ id }) => id)]) this.touch(id);
  }

  /** A cluster whose entry fails gets a placeholder; it is retried at every step (PG30). */
  #tryRenew(id: string, before: KeptEntry | undefined, step: number): KeptEntry | undefined {
    let entry: KeptEntry | undefined;
    const succeeded = this.#options.guard.run("page entry", () => (entry = this.#renew(id, before, step)), {
      cluster: id,
    });
    if (succeeded) return entry;
    this.touch(id);
    return { ...toFailedEntry(id, before, step), nextAttemptMs: undefined, credential: undefined };
  }

  /** Undefined for a cluster that is not registered or not judged yet. */
  #renew(id: string, before: KeptEntry | undefined, step: number): KeptEntry | undefined {
    const { parts, strips } = this.#options;
    const record = parts.fleet.clusters.get(id);
    const cluster = record === undefined ? undefined : parseClusterId(id);
    const view = cluster === undefined ? undefined : parts.health.get(cluster);
    if (record === undefined || cluster === undefined || view === undefined) return undefined;
    const strip = strips.toBytes(id, { state: view.connection.state, registeredMs: record.createdAtMs });
    const nextAttemptMs = steady(before?.nextAttemptMs, view.connection.nextAttemptMs);
    const credential = parts.credentials.of(id);
    return {
      id,
      facts: this.#makeFacts({ record, credential, pause: view.pause }, before?.facts, step),
      connection: this.#makeConnection(cluster, view, nextAttemptMs, before?.connection, step),
      strip: memoizeEncoding(before?.strip, [strip], step, () => toField(stripField.number, strip)),
      objects: this.#makeObjects(id, before?.objects, step),
      nextAttemptMs,
      credential,
    };
  }

  #makeFacts(
    known: Pick<FleetClusterFacts, "record" | "credential" | "pause">,
    before: MemoizedEncoding | undefined,
    step: number,
  ): MemoizedEncoding {
    const { record, credential, pause } = known;
    const { agents, parts } = this.#options;
    const { agentVersion = "" } = agents.get(record.id) ?? {};
    const replacedByUid = parts.details.replacementOf(record.id, record.clusterUid, parts.clock.nowMs());
    const from = [record, agentVersion, replacedByUid, credential, pause];
    const facts = { ...known, agentVersion, replacedByUid };
    return memoizeEncoding(before, from, step, () => toBinary(FleetClusterSchema, toFacts(facts)));
  }

  #makeConnection(
    cluster: ClusterId,
    view: ClusterView,
    nextAttemptMs: number | undefined,
    before: MemoizedEncoding | undefined,
    step: number,
  ): MemoizedEncoding {
    const { agents, parts, incidents } = this.#options;
    const { state, sinceMs, reason, detail, attemptCount, isFlapping } = view.connection;
    const agent = agents.get(cluster);
    const lagSeconds = agent === undefined ? 0 : lagSecondsOf(agent);
    const progress = parts.health.progress(cluster);
    const queuePosition = parts.details.positionOf(cluster);
    const dataAtMs = this.#dataAtMs(cluster, view);
    const returns = incidents.returnsOf(cluster);
    const { equalCount, followedCount } = progress;
    const shown = [state, sinceMs, reason, detail, attemptCount, isFlapping, view.incident, nextAttemptMs, dataAtMs];
    const returnFields = returns.flatMap(({ incident, caughtUpBy, relistedKindCount }) => [
      incident,
      caughtUpBy,
      relistedKindCount,
    ]);
    const from = [...shown, lagSeconds, queuePosition, equalCount, followedCount, ...returnFields];
    const status = { view, progress, queuePosition, lagSeconds, nextAttemptMs, dataAtMs, returns };
    return memoizeEncoding(before, from, step, () => toBinary(FleetClusterSchema, toConnection(status)));
  }

  /** Frozen while the cluster is not live, even if heartbeats arrive; undefined while it is. */
  #dataAtMs(cluster: ClusterId, view: ClusterView): number | undefined {
    const { connection, incident = 0 } = view;
    const lastSeenMs = rowsAtMs(view);
    if (connection.state === "live" || lastSeenMs === undefined) return undefined;
    const lostMs = this.#options.incidents.dataAtMs(cluster, incident) ?? lastSeenMs;
    return Math.min(lastSeenMs, connection.sinceMs, lostMs);
  }

  /** One part for each access key. Empty before rows were read, and while they are not shown (L2). */
  #makeObjects(id: string, before: FleetEntry["objects"] | undefined, step: number): FleetEntry["objects"] {
    const objects = new Map<string, MemoizedEncoding>();
    for (const [accessKey, read] of this.#summaries.get(id) ?? [])
      objects.set(accessKey, this.#encodeObjects(id, read, before?.get(accessKey), step));
    return objects;
  }

  #encodeObjects(id: string, read: SummaryRead, before: MemoizedEncoding | undefined, step: number): MemoizedEncoding {
    if (read.status === "rejected") throw read.reason;
    const summary = read.value;
    // The first part of a key that is empty is no news.
    if (summary?.areRowsShown !== true)
      return memoizeEncoding(before, [], before === undefined ? 0 : step, () => new Uint8Array());
    const { rowCount } = summary;
    const troubles = countTrouble(summary);
    const failingKinds = listFailingKinds(this.#options.parts, id);
    const from = [
      rowCount,
      ...failingKinds,
      ...troubles.flatMap(({ resource, kind, count }) => [resource, kind, count]),
    ];
    return memoizeEncoding(before, from, step, () => {
      const objects = toClusterObjects({ rowCount, troubles, failingKinds });
      return toField(objectsField.number, toBinary(ClusterObjectsSchema, objects));
    });
  }
}

function steady(before: number | undefined, now: number | undefined): number | undefined {
  return before !== undefined && now !== undefined && Math.abs(now - before) < sameMomentMs ? before : now;
}

function listFailingKinds({ details }: FleetParts, id: string): readonly string[] {
  const failing: string[] = [];
  for (const [resource, { facts }] of details.kindsOf(id)) if (facts.state === "failed") failing.push(resource);
  return failing.sort();
}
