// SPDX-License-Identifier: Apache-2.0
// The way of a flush: decode, see what it changes, make that durable, show it, acknowledge (SE13, L2, L3).
import { unreachable } from "../../base/assert.ts";
import type { Codec } from "../../model/codec.ts";
import type { Hasher } from "../../model/hasher.ts";
import type { FlushFacts } from "../../session/hub/parsed-request.ts";
import type { Refusal } from "../../session/hub/session-words.ts";
import type { AppendOutcome, FleetLog } from "../../store/fleet-log.ts";
import type { ChangeFeed } from "./change-feed.ts";
import { type DecodedPart, decodeFlush } from "./decode-flush.ts";
import type { FleetCounters } from "./fleet-counters.ts";
import { KeyChains } from "./key-chains.ts";
import type { LogSizes } from "./log-sizes.ts";
import type { Picture, RowChange } from "./picture.ts";

/** In whose name a flush is appended. */
export interface FlushSource {
  readonly cluster: string;
  readonly shard: string;
  readonly epoch: number;
  readonly incarnation: string;
}

/** What became of a flush. */
export type IngestOutcome =
  /** Durable and visible; `changeCount` is 0 for what was there already. */
  { readonly kind: "durable"; readonly changeCount: number } | { readonly kind: "refused"; readonly refusal: Refusal };

export interface IngestOptions {
  readonly fleetLog: FleetLog;
  readonly picture: Picture;
  readonly feed: ChangeFeed;
  readonly codec: Codec;
  readonly hasher: Hasher;
  readonly counters: FleetCounters;
  readonly sizes: LogSizes;
}

/** Parts that need not be kept: what changes nothing by itself, as long as nothing before it in the flush changes that kind. */
function chooseParts(picture: Picture, cluster: string, parts: readonly DecodedPart[]): readonly DecodedPart[] {
  const changing = new Set<string>();
  return parts.filter((part) => {
    if (!changing.has(part.resource) && !picture.wouldChange(cluster, part)) return false;
    changing.add(part.resource);
    return true;
  });
}

/** Takes flushes of any number of sessions: each cluster's one after another, those of different clusters side by side (L14). */
export class Ingest {
  readonly #options: IngestOptions;
  readonly #chains = new KeyChains();

  constructor(options: IngestOptions) {
    this.#options = options;
  }

  /**
   * Throws what the log throws when it cannot tell whether the flush is durable; then the session ends, and the cluster is
   * loaded anew before the next one if the log has more than the picture. A flush that has become durable is always folded, whatever became of
   * its session.
   */
  take(source: FlushSource, flush: FlushFacts, complete: ReadonlySet<string>): Promise<IngestOutcome> {
    return this.#chains.run(source.cluster, () => this.#take(source, flush, complete));
  }

  /** Runs between two flushes of a cluster: what it sees does not change meanwhile. */
  between<T>(cluster: string, work: () => Promise<T>): Promise<T> {
    return this.#chains.run(cluster, work);
  }

  async #take(source: FlushSource, flush: FlushFacts, complete: ReadonlySet<string>): Promise<IngestOutcome> {
    const { fleetLog, picture } = this.#options;
    const decoded = await decodeFlush(flush, complete, this.#options);
    if (decoded.kind === "refused") return decoded;
    const parts = chooseParts(picture, source.cluster, decoded.parts);
    const outcome = await fleetLog.append({
      ...source,
      seq: flush.seq,
      parts: parts.map(({ resource, form, sent }) => ({ resource, form, bytes: sent.batch })),
    });
    if (outcome.kind === "appended") this.#countReceived(source.cluster, decoded.parts);
    return this.#settle(source, flush, parts, outcome);
  }

  #settle(
    source: FlushSource,
    flush: FlushFacts,
    parts: readonly DecodedPart[],
    outcome: AppendOutcome,
  ): IngestOutcome {
    switch (outcome.kind) {
      case "appended": {
        const changeCount = this.#fold(source, flush, parts, outcome);
        return { kind: "durable", changeCount };
      }
      case "duplicate":
        return { kind: "durable", changeCount: 0 };
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
    parts: readonly DecodedPart[],
    { position, receivedAtMs }: Extract<AppendOutcome, { kind: "appended" }>,
  ): number {
    const { picture, feed, sizes } = this.#options;
    const changes = picture.fold({ cluster, parts, position, receivedAtMs });
    picture.setApplied(cluster, { incarnation, seq: flush.seq });
    feed.push(cluster, receivedAtMs, changes);
    for (const { resource, sent } of parts) sizes.add(cluster, resource, sent.batch.length);
    this.#countChanges(cluster, changes);
    return changes.length;
  }

  #countReceived(cluster: string, parts: readonly DecodedPart[]): void {
    const { counters } = this.#options;
    for (const { resource, batch, sent } of parts) {
      counters.bytes.add({ cluster, resource }, sent.batch.length);
      counters.rows.add({ cluster, resource }, batch.rowCount + batch.deleteCount);
    }
  }

  #countChanges(cluster: string, changes: readonly RowChange[]): void {
    const { counters } = this.#options;
    const counts = new Map<string, number>();
    for (const { kind, resource } of changes) {
      const key = `${kind} ${resource}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    for (const [key, count] of counts) {
      const [change = "", resource = ""] = key.split(" ");
      counters.changes.add({ cluster, resource, change }, count);
    }
  }
}
