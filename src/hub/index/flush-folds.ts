// SPDX-License-Identifier: Apache-2.0
import { assert } from "../../base/assert.ts";
import { FlotillaError } from "../../base/error.ts";
import { KeyedMutex } from "../../base/queues/keyed-mutex.ts";
import { type ClusterSize, faultOfGrowth } from "../../index/fold/cluster-size.ts";
import { decodeStoredPart, type StoredPart } from "../../index/fold/decode-part.ts";
import type { FleetTables } from "../../index/fold/fleet-tables.ts";
import { bytesPerFoldedRow, FlushDecoder } from "../../index/fold/flush-decoder.ts";
import type { FoldPart, FoldPlace, PreparedFold } from "../../index/fold/fold-part.ts";
import { PackedChanges, type PackedSection } from "../../index/fold/packed-changes.ts";
import { stepRowCount } from "../../index/table/apply-part.ts";
import { isRbacResource } from "../../model/rbac-resources.ts";
import { maxBatchBytes } from "../../model/row-batch/format.ts";
import type { Codec } from "../../model/rows/codec.ts";
import type { Hasher } from "../../model/rows/hasher.ts";
import type { RowChange } from "../rows/fleet-reader.ts";
import type { FleetAccess } from "./fleet-access.ts";
import type {
  AppliedSegments,
  CommittedFlush,
  FlushRefusal,
  LoadOutcome,
  PrepareOutcome,
  SentPart,
  StoredSegment,
} from "./index-messages.ts";
import { WorkTurns } from "./work-turns.ts";

export interface FlushFoldsOptions {
  readonly tables: FleetTables;
  readonly access: FleetAccess;
  readonly codec: Codec;
  readonly hasher: Hasher;
  /** The limits of one cluster. */
  readonly limits: ClusterSize;
  /** Resolves after other work of the thread had the chance to run. */
  readonly pause: () => Promise<void>;
  /** Called in the step in which rows, or what users see of them, changed. */
  readonly onChange: () => void;
}

/** A decoded segment, or why it cannot be read. */
type Decoded =
  | { readonly segment: StoredSegment; readonly stored: StoredPart }
  | { readonly segment: StoredSegment; readonly detail: string };

/**
 * Folds flushes and stored segments into the tables, in turns, and applies changes of grants in the step in which the
 * rows become visible (L2). Flushes of one cluster come one at a time.
 */
export class FlushFolds {
  readonly #options: FlushFoldsOptions;
  readonly #tables: FleetTables;
  readonly #access: FleetAccess;
  readonly #turns: WorkTurns;
  readonly #loads = new KeyedMutex();
  readonly #prepared = new Map<string, PreparedFold<FoldPart>>();

  constructor(options: FlushFoldsOptions) {
    this.#options = options;
    this.#tables = options.tables;
    this.#access = options.access;
    this.#turns = new WorkTurns(options.pause);
  }

  /** Decodes and checks a flush and prepares its fold. Nothing of it is visible before `commit`. */
  async prepare(cluster: string, sent: readonly SentPart[]): Promise<PrepareOutcome> {
    const parts = await this.#decodeFlush(sent);
    if ("reason" in parts) return { kind: "refused", refusal: parts };
    const fold = await this.#prepare(cluster, parts);
    if (typeof fold === "string") return { kind: "refused", refusal: { reason: "overClusterLimit", detail: fold } };
    this.#prepared.set(cluster, fold);
    return {
      kind: "prepared",
      changing: fold.changing.map((part) => parts.indexOf(part)),
      objectCounts: parts.map(({ batch }) => batch.rowCount + batch.deleteCount),
    };
  }

  /** Makes the prepared flush of a cluster visible in one step, all kinds together (L2, N-27). */
  async commit(cluster: string, place: FoldPlace): Promise<CommittedFlush> {
    const fold = this.#prepared.get(cluster);
    assert(fold !== undefined, "a flush is prepared before it is committed");
    await this.#turns.take(fold.commitRowCount);
    this.#prepared.delete(cluster);
    const changes = fold.commit(place);
    this.#access.noteChanges(cluster, changesOfGrants(changes.sections));
    this.#options.onChange();
    const kinds = new Set(fold.changing.map(({ resource }) => resource));
    await this.#compact(cluster);
    return {
      changes: changes.sections,
      kinds: Array.from(kinds, (resource) => this.#tables.kindFacts(cluster, resource)),
    };
  }

  /** Drops the prepared flush of a cluster, if there is one. */
  async discard(cluster: string): Promise<void> {
    this.#prepared.delete(cluster);
  }

  /** Makes a stored flush visible, in one step (L2). Segments that cannot be read are left out. */
  async applyStored(cluster: string, segments: readonly StoredSegment[], place: FoldPlace): Promise<AppliedSegments> {
    const decoded: Decoded[] = [];
    for (const segment of segments) decoded.push(await this.#decode(segment));
    const parts = decoded.flatMap((each) => ("stored" in each ? [each.stored.part] : []));
    const fold = this.#tables.prepare(cluster, parts);
    for (const _ of fold.steps()) await this.#turns.take(stepRowCount);
    this.#prepared.set(cluster, fold);
    const unreadable = decoded.flatMap((each) =>
      "detail" in each ? [{ resource: each.segment.resource, detail: each.detail }] : [],
    );
    return { ...(await this.commit(cluster, place)), unreadable };
  }

  /**
   * Folds a stored segment without reporting changes, to build the rows from the fleet log. Segments of one cluster are
   * folded in the order of the calls; the next one is decompressed meanwhile.
   */
  load(cluster: string, segment: StoredSegment): Promise<LoadOutcome> {
    const decoding = this.#decode(segment);
    decoding.catch(() => undefined); // reported by the call that awaits it
    return this.#loads.run(cluster, async () => {
      const decoded = await decoding;
      if ("detail" in decoded) return { kind: "unreadable", detail: decoded.detail };
      const { part, droppedCount, fault } = decoded.stored;
      await this.#turns.take(part.batch.rowCount + part.batch.deleteCount);
      this.#tables.load(cluster, part, segment);
      this.#access.noteLoaded(cluster, segment.resource);
      this.#options.onChange();
      const facts = this.#tables.kindFacts(cluster, segment.resource);
      return { kind: "loaded", facts, rowCount: part.batch.rowCount, droppedCount, fault };
    });
  }

  /** Removes the rows of a cluster that was removed, or that is about to be reloaded. */
  removeCluster(cluster: string): Promise<void> {
    return this.#loads.run(cluster, async () => {
      this.#prepared.delete(cluster);
      this.#tables.removeCluster(cluster);
      this.#access.removeCluster(cluster);
      this.#options.onChange();
    });
  }

  /** Removes texts that no row uses any more, once they may be half of a cluster's. No fold of the cluster is prepared. */
  async #compact(cluster: string): Promise<void> {
    if (!this.#tables.isGarbageSuspected(cluster)) return;
    const compaction = this.#tables.prepareCompaction(cluster);
    for (const _ of compaction?.steps() ?? []) await this.#turns.take(stepRowCount);
    compaction?.commit();
    this.#options.onChange();
  }

  /** Decodes all parts, or returns why the whole flush is refused (SE4). */
  async #decodeFlush(sent: readonly SentPart[]): Promise<readonly FoldPart[] | FlushRefusal> {
    const { codec, hasher } = this.#options;
    const decoder = new FlushDecoder(hasher);
    const parts: FoldPart[] = [];
    try {
      for (const { resource, replacedBucket, bytes: compressed } of sent) {
        const bytes = await codec.decompress(compressed, decoder.partLimitBytes);
        await this.#turns.take(Math.ceil(bytes.length / bytesPerFoldedRow));
        parts.push(decoder.decode({ resource, replacedBucket, bytes }));
      }
      return parts;
    } catch (reason) {
      if (!(reason instanceof FlotillaError)) throw reason;
      return { reason: reason.code === "TOO_LARGE" ? "overLimit" : "malformed", detail: reason.message };
    }
  }

  /** Prepares the fold, or returns the reason for refusing it if the cluster would exceed its limits (SE57). */
  async #prepare(cluster: string, parts: readonly FoldPart[]): Promise<PreparedFold<FoldPart> | string> {
    const before = this.#tables.size(cluster);
    let fault: string | undefined;
    for (const isExact of [false, true]) {
      const fold = this.#tables.prepare(cluster, parts, isExact);
      for (const _ of fold.steps()) await this.#turns.take(stepRowCount);
      fault = faultOfGrowth(before, fold.sizeAfter, this.#options.limits);
      if (fault === undefined) return fold;
    }
    return fault ?? "";
  }

  async #decode(segment: StoredSegment): Promise<Decoded> {
    const { codec, hasher } = this.#options;
    const { resource, form, bytes } = segment;
    try {
      const replacedBucket = form.kind === "replace" ? form.bucket : 0;
      const unpacked = await codec.decompress(bytes, maxBatchBytes);
      return { segment, stored: decodeStoredPart({ resource, replacedBucket, bytes: unpacked }, hasher) };
    } catch (reason) {
      if (!(reason instanceof FlotillaError)) throw reason;
      return { segment, detail: reason.message };
    }
  }
}

function changesOfGrants(sections: readonly PackedSection[]): readonly RowChange[] {
  return new PackedChanges(sections.filter(({ resource }) => isRbacResource(resource))).list();
}
