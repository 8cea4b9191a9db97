// SPDX-License-Identifier: Apache-2.0
// The path of a flush: decode, find the changes, make them durable, show them, acknowledge (SE13, L2, L3).
import { unreachable } from "../../base/assert.ts";
import { KeyedMutex } from "../../base/queues/keyed-mutex.ts";
import type { FoldPlace } from "../../index/fold/fold-part.ts";
import type { PackedChanges } from "../../index/fold/packed-changes.ts";
import type { FlushFacts } from "../../session/hub/parsed-request.ts";
import type { Refusal } from "../../session/hub/session-rejections.ts";
import type { AppendOutcome, FleetLog } from "../../store/fleet-log/fleet-log.ts";
import type { FleetCounters } from "../fleet/fleet-counters.ts";
import type { PrepareOutcome, StoredSegment } from "../index/index-messages.ts";
import type { ChangeFeed } from "../rows/change-feed.ts";
import type { FleetRows } from "../rows/fleet-rows.ts";
import type { AppliedKind } from "../sessions/session-events.ts";
import type { LogSizes } from "./log-sizes.ts";

/** The session in whose name a flush is appended. */
export interface FlushSource {
  readonly cluster: string;
  readonly shard: string;
  readonly epoch: number;
  readonly incarnation: string;
}

/** The result of a flush. */
export type IngestOutcome =
  /**
   * Durable and visible. `kinds` is empty for a duplicate. `objectCount` is the number of rows and deletes received.
   */
  | { readonly kind: "durable"; readonly kinds: readonly AppliedKind[]; readonly objectCount: number }
  | { readonly kind: "refused"; readonly refusal: Refusal };

export interface IngestOptions {
  readonly fleetLog: FleetLog;
  readonly fleetRows: FleetRows;
  readonly feed: ChangeFeed;
  readonly counters: FleetCounters;
  readonly sizes: LogSizes;
}

/** A flush whose fold is prepared. */
interface PreparedFlush extends Extract<PrepareOutcome, { kind: "prepared" }> {
  readonly parts: FlushFacts["parts"];
}

/** Ingests flushes of many sessions: in order within a cluster, concurrently across clusters (L14). */
export class Ingest {
  readonly #options: IngestOptions;
  readonly #chains = new KeyedMutex();

  constructor(options: IngestOptions) {
    this.#options = options;
  }

  /**
   * Ingests one flush. Throws the log's error if it is unknown whether the flush is durable. The session then ends, and
   * the cluster is reloaded before the next one if the log is ahead of the fleet's rows. A durable flush is always
   * folded, even if its session has ended.
   */
  take(source: FlushSource, flush: FlushFacts, complete: ReadonlySet<string>): Promise<IngestOutcome> {
    return this.#chains.run(source.cluster, () => this.#take(source, flush, complete));
  }

  /** Runs work between two flushes of a cluster. The cluster's rows do not change meanwhile. */
  between<T>(cluster: string, work: () => Promise<T>): Promise<T> {
    return this.#chains.run(cluster, work);
  }

  /** Makes a flush that another hub appended visible, in one step (L2). Call it inside `between` of its cluster. */
  async foldAppended(cluster: string, segments: readonly StoredSegment[], place: FoldPlace): Promise<void> {
    const { fleetRows, feed } = this.#options;
    feed.push(cluster, place.receivedAtMs, await fleetRows.applyStored(cluster, segments, place));
  }

  async #take(source: FlushSource, flush: FlushFacts, complete: ReadonlySet<string>): Promise<IngestOutcome> {
    const { fleetRows } = this.#options;
    const incomplete = flush.parts.find((part) => part.replacedBucket !== 0 && !complete.has(part.resourceText));
    if (incomplete !== undefined) {
      const detail = `a bucket of ${incomplete.resourceText} came before its list was complete`;
      return { kind: "refused", refusal: { reason: "incompleteReplace", detail } };
    }
    const sent = flush.parts.map(({ resourceText: resource, replacedBucket, batch: bytes }) => {
      return { resource, replacedBucket, bytes };
    });
    const prepared = await fleetRows.prepare(source.cluster, sent);
    if (prepared.kind === "refused") return prepared;
    let isCommitted = false;
    try {
      const outcome = await this.#append(source, flush, { ...prepared, parts: flush.parts });
      isCommitted = outcome.isCommitted;
      return outcome.ingested;
    } finally {
      if (!isCommitted) await fleetRows.discard(source.cluster);
    }
  }

  async #append(
    source: FlushSource,
    flush: FlushFacts,
    prepared: PreparedFlush,
  ): Promise<{ readonly isCommitted: boolean; readonly ingested: IngestOutcome }> {
    const parts = changingParts(prepared).map(({ resourceText: resource, replacedBucket, batch: bytes }) => ({
      resource,
      form:
        replacedBucket === 0 ? ({ kind: "delta" } as const) : ({ kind: "replace", bucket: replacedBucket } as const),
      bytes,
    }));
    const outcome = await this.#options.fleetLog.append({ ...source, seq: flush.seq, parts });
    if (outcome.kind === "appended") this.#countReceived(source.cluster, prepared);
    return {
      isCommitted: outcome.kind === "appended",
      ingested: await this.#settle(source, flush, prepared, outcome),
    };
  }

  async #settle(
    source: FlushSource,
    flush: FlushFacts,
    prepared: PreparedFlush,
    outcome: AppendOutcome,
  ): Promise<IngestOutcome> {
    const objectCount = prepared.objectCounts.reduce((sum, count) => sum + count, 0);
    switch (outcome.kind) {
      case "appended":
        return { kind: "durable", kinds: await this.#commit(source, flush, prepared, outcome), objectCount };
      case "duplicate":
        return { kind: "durable", kinds: [], objectCount };
      case "gap": {
        const detail = `flush ${flush.seq} came where the log expects ${outcome.expected}`;
        return { kind: "refused", refusal: { reason: "outOfSequence", detail } };
      }
      case "fenced": {
        const detail = `epoch ${source.epoch} is outdated, the newest is ${outcome.epoch}`;
        return { kind: "refused", refusal: { reason: "fenced", detail } };
      }
      default:
        return unreachable(outcome, "outcome");
    }
  }

  async #commit(
    { cluster, incarnation }: FlushSource,
    flush: FlushFacts,
    prepared: PreparedFlush,
    { position, receivedAtMs }: Extract<AppendOutcome, { kind: "appended" }>,
  ): Promise<readonly AppliedKind[]> {
    const { fleetRows, feed, sizes } = this.#options;
    const changes = await fleetRows.commit(cluster, { position, receivedAtMs }, { incarnation, seq: flush.seq });
    feed.push(cluster, receivedAtMs, changes);
    for (const { resourceText, batch } of changingParts(prepared)) sizes.add(cluster, resourceText, batch.length);
    this.#countChanges(cluster, changes);
    return toAppliedKinds(prepared, changes);
  }

  #countReceived(cluster: string, { parts, objectCounts }: PreparedFlush): void {
    const { counters } = this.#options;
    for (const [at, { resourceText: resource, batch }] of parts.entries()) {
      counters.bytes.add({ cluster, resource }, batch.length);
      counters.rows.add({ cluster, resource }, objectCounts[at] ?? 0);
    }
  }

  #countChanges(cluster: string, changes: PackedChanges): void {
    for (const { resource, kind, count } of changes.counts())
      this.#options.counters.changes.add({ cluster, resource, change: kind }, count);
  }
}

/** The parts that change something, in order. */
function changingParts({ changing, parts }: PreparedFlush): FlushFacts["parts"] {
  return changing.map((at) => parts[at]).filter((part) => part !== undefined);
}

/** The changes of each kind. A kind without changes is omitted. */
function toAppliedKinds(prepared: PreparedFlush, changes: PackedChanges): readonly AppliedKind[] {
  const kinds = new Map<string, AppliedKind>();
  for (const { resourceText: resource, batch } of changingParts(prepared)) {
    const bytes = (kinds.get(resource)?.bytes ?? 0) + batch.length;
    kinds.set(resource, { resource, changeCount: 0, bytes });
  }
  for (const { resource, count } of changes.counts()) {
    const { changeCount, bytes } = kinds.get(resource) ?? { changeCount: 0, bytes: 0 };
    kinds.set(resource, { resource, changeCount: changeCount + count, bytes });
  }
  return [...kinds.values()];
}
