// SPDX-License-Identifier: Apache-2.0
// The path of a flush: decode, find the changes, make them durable, show them, acknowledge (SE13, L2, L3).
import { unreachable } from "../../base/assert.ts";
import { KeyedMutex } from "../../base/queues/keyed-mutex.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { Codec } from "../../model/rows/codec.ts";
import type { Hasher } from "../../model/rows/hasher.ts";
import type { FlushFacts } from "../../session/hub/parsed-request.ts";
import type { Refusal } from "../../session/hub/session-rejections.ts";
import type { AppendOutcome, FleetLog } from "../../store/fleet-log/fleet-log.ts";
import type { FleetCounters } from "../fleet/fleet-counters.ts";
import type { ChangeFeed } from "../rows/change-feed.ts";
import { type ClusterSize, defaultClusterLimits, faultOfGrowth } from "../rows/cluster-limits.ts";
import type { FleetRows, FoldedChanges, FoldPart, FoldPlace, PreparedFold } from "../rows/fleet-rows.ts";
import { stepRowCount } from "../rows/folded-kind.ts";
import type { AppliedKind } from "../sessions/session-events.ts";
import { type DecodedPart, decodeFlush } from "./decode-flush.ts";
import { IngestTurns } from "./ingest-turns.ts";
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
  readonly clock: Clock;
  readonly codec: Codec;
  readonly hasher: Hasher;
  readonly counters: FleetCounters;
  readonly sizes: LogSizes;
  /** The limits of one cluster. Default: `defaultClusterLimits`. */
  readonly clusterLimits?: ClusterSize;
}

/** Ingests flushes of many sessions: in order within a cluster, concurrently across clusters (L14). */
export class Ingest {
  readonly #options: IngestOptions;
  readonly #chains = new KeyedMutex();
  readonly #turns: IngestTurns;

  constructor(options: IngestOptions) {
    this.#options = options;
    this.#turns = new IngestTurns(options.clock);
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
  async foldAppended(cluster: string, parts: readonly FoldPart[], place: FoldPlace): Promise<void> {
    const { fleetRows, feed } = this.#options;
    const fold = fleetRows.prepare(cluster, parts);
    for (const _ of fold.steps()) await this.#turns.take(stepRowCount);
    await this.#turns.take(fold.commitRowCount);
    feed.push(cluster, place.receivedAtMs, fold.commit(place));
  }

  async #take(source: FlushSource, flush: FlushFacts, complete: ReadonlySet<string>): Promise<IngestOutcome> {
    const { fleetLog } = this.#options;
    const decoded = await decodeFlush(flush, complete, { ...this.#options, turns: this.#turns });
    if (decoded.kind === "refused") return decoded;
    const fold = await this.#prepare(source.cluster, decoded.parts);
    if (typeof fold === "string") return { kind: "refused", refusal: { reason: "overClusterLimit", detail: fold } };
    const outcome = await fleetLog.append({
      ...source,
      seq: flush.seq,
      parts: fold.changing.map(({ resource, form, sent }) => ({ resource, form, bytes: sent.batch })),
    });
    if (outcome.kind === "appended") {
      await this.#turns.take(fold.commitRowCount);
      this.#countReceived(source.cluster, decoded.parts);
    }
    const objectCount = decoded.parts.reduce((sum, { batch }) => sum + batch.rowCount + batch.deleteCount, 0);
    return this.#settle(source, flush, { fold, objectCount }, outcome);
  }

  /** Prepares the fold, or returns the reason for refusing it if the cluster would exceed its limits (SE57). */
  async #prepare(cluster: string, parts: readonly DecodedPart[]): Promise<PreparedFold<DecodedPart> | string> {
    const { fleetRows, clusterLimits = defaultClusterLimits } = this.#options;
    const before = fleetRows.size(cluster);
    let fault: string | undefined;
    for (const isExact of [false, true]) {
      const fold = fleetRows.prepare(cluster, parts, isExact);
      for (const _ of fold.steps()) await this.#turns.take(stepRowCount);
      fault = faultOfGrowth(before, fold.sizeAfter, clusterLimits);
      if (fault === undefined) return fold;
    }
    return fault ?? "";
  }

  #settle(
    source: FlushSource,
    flush: FlushFacts,
    { fold, objectCount }: { readonly fold: PreparedFold<DecodedPart>; readonly objectCount: number },
    outcome: AppendOutcome,
  ): IngestOutcome {
    switch (outcome.kind) {
      case "appended": {
        return { kind: "durable", kinds: this.#fold(source, flush, fold, outcome), objectCount };
      }
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

  #fold(
    { cluster, incarnation }: FlushSource,
    flush: FlushFacts,
    fold: PreparedFold<DecodedPart>,
    { position, receivedAtMs }: Extract<AppendOutcome, { kind: "appended" }>,
  ): readonly AppliedKind[] {
    const { fleetRows, feed, sizes } = this.#options;
    const changes = fold.commit({ position, receivedAtMs });
    fleetRows.setApplied(cluster, { incarnation, seq: flush.seq });
    feed.push(cluster, receivedAtMs, changes);
    for (const { resource, sent } of fold.changing) sizes.add(cluster, resource, sent.batch.length);
    this.#countChanges(cluster, changes);
    return toAppliedKinds(fold.changing, changes);
  }

  #countReceived(cluster: string, parts: readonly DecodedPart[]): void {
    const { counters } = this.#options;
    for (const { resource, batch, sent } of parts) {
      counters.bytes.add({ cluster, resource }, sent.batch.length);
      counters.rows.add({ cluster, resource }, batch.rowCount + batch.deleteCount);
    }
  }

  #countChanges(cluster: string, changes: FoldedChanges): void {
    for (const { resource, kind, count } of changes.counts())
      this.#options.counters.changes.add({ cluster, resource, change: kind }, count);
  }
}

/** The changes of each kind. A kind without changes is omitted. */
function toAppliedKinds(parts: readonly DecodedPart[], changes: FoldedChanges): readonly AppliedKind[] {
  const kinds = new Map<string, AppliedKind>();
  for (const { resource, sent } of parts) {
    const bytes = (kinds.get(resource)?.bytes ?? 0) + sent.batch.length;
    kinds.set(resource, { resource, changeCount: 0, bytes });
  }
  for (const { resource, count } of changes.counts()) {
    const { changeCount, bytes } = kinds.get(resource) ?? { changeCount: 0, bytes: 0 };
    kinds.set(resource, { resource, changeCount: changeCount + count, bytes });
  }
  return [...kinds.values()];
}
