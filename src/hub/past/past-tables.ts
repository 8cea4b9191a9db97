// SPDX-License-Identifier: Apache-2.0
// Rows of past moments in the index thread: folded from the fleet log, in slices, for the clusters and kinds of a query.
import { assert } from "../../base/assert.ts";
import { FlotillaError } from "../../base/error.ts";
import type { FleetTables } from "../../index/fold/fleet-tables.ts";
import type { ClusterFields } from "../../index/scan/row-filter.ts";
import type { ClusterTexts } from "../../index/table/cluster-texts.ts";
import type { KindTable } from "../../index/table/kind-table.ts";
import type { TextDictionary } from "../../index/table/text-dictionary.ts";
import type { BatchKeys } from "../../model/row-batch/decode-keys.ts";
import { isVisible } from "../../rbac/visibility.ts";
import type { LogPlace } from "../../store/fleet-log/fleet-log.ts";
import { DeletedFleet } from "./deleted-fleet.ts";
import { DeletedRows } from "./deleted-rows.ts";
import { applyInTurns, foldSegments, readKeys, runInTurns, type SegmentFolding } from "./fold-segments.ts";
import { isWorthRestoring, KindRestore, type RestoreCost } from "./kind-restore.ts";
import { PastCache } from "./past-cache.ts";
import type { PastCluster, PastKind } from "./past-cluster.ts";
import { PastFleet } from "./past-fleet.ts";
import type { PastLoad, PastLoadOutcome, PastSegments, PlacedCluster } from "./past-messages.ts";
import {
  holdsTables,
  isNeeded,
  loadKey,
  neededPlaces,
  openReadCluster,
  type PastNeed,
  type PastRead,
  type ReadCluster,
  takeKind,
} from "./past-read.ts";
import { findNewerKind, findUnchangedKinds } from "./present-kinds.ts";
import { type OpenedRestore, rowsKeyOf, wantedDeletes, wantedRows } from "./wanted-loads.ts";

export interface PastTablesOptions extends SegmentFolding {
  /** The present rows. Kinds that did not change since a moment are not read again. */
  readonly present: FleetTables;
  readonly fieldsOf: (cluster: string) => ClusterFields;
  /** The limit on the memory of all past rows, those of open reads and those that are kept for the next one. */
  readonly limitBytes?: number;
  /** Whether rows are made from the present ones instead of being folded. Default: if that costs less. */
  readonly isWorthRestoring?: (cost: RestoreCost) => boolean;
}

/** The default limit on the memory of past rows: some 2.5 million rows. */
const defaultLimitBytes = 512 * 1024 * 1024;

/** A load of an open read. */
interface OpenLoad {
  readonly read: PastRead;
  readonly cluster: string;
  readonly held: ReadCluster;
  readonly past: PastCluster;
  /** Throws UNAVAILABLE after the read was closed. */
  readonly check: () => void;
}

/**
 * Reads of past rows. A read is opened, gets the places of each of its clusters, then the segments that it wants, and
 * is then queried until it is closed. Methods about one cluster are called one after another; different clusters and
 * reads may be loaded side by side. Every method but `open` and `close` throws UNAVAILABLE for a read that is not open.
 */
export class PastTables {
  readonly #options: PastTablesOptions;
  readonly #cache: PastCache;
  readonly #reads = new Map<number, PastRead>();
  /** The dictionary of the fleet's namespaces that the texts of past tables use. */
  readonly #namespaces = new WeakMap<ClusterTexts, TextDictionary>();

  constructor(options: PastTablesOptions) {
    this.#options = options;
    const { present, limitBytes = defaultLimitBytes } = options;
    this.#cache = new PastCache({ limitBytes, namespaces: () => present.namespaces });
  }

  /** The memory of past rows. */
  get sizeBytes(): number {
    return this.#cache.sizeBytes;
  }

  /** Opens a read. `close` must follow. */
  open(id: number, need: PastNeed): void {
    assert(!this.#reads.has(id), "the id of a read of past rows is used once");
    this.#reads.set(id, { need, clusters: new Map() });
  }

  /** Takes the places of a cluster's kinds at each moment of the read. */
  place(id: number, cluster: string, places: readonly (readonly LogPlace[])[]): PlacedCluster {
    const { need, clusters } = this.#get(id);
    const [first = []] = places;
    const visible = first.filter(({ resource }) => isNeeded(need, cluster, resource));
    const held = openReadCluster(neededPlaces(cluster, need, places));
    clusters.set(cluster, held);
    // Deletes are collected from a copy of past tables: present ones share dictionaries with folds that are under way.
    if (need.purpose !== "deletes")
      for (const [at, of] of held.places.entries())
        for (const [resource, table] of findUnchangedKinds(this.#options.present, cluster, of))
          held.tables[at]?.set(resource, table);
    const withRows = visible.filter(({ position }) => position > 0);
    const times = withRows
      .filter(({ resource }) => need.visibilityOf(cluster, resource).kind === "all")
      .map(({ receivedAtMs }) => receivedAtMs);
    return {
      hasRows: withRows.length > 0,
      earliestMs: Math.max(0, ...visible.map(({ earliestMs }) => earliestMs)),
      asOfMs: times.length === 0 ? undefined : Math.max(...times),
    };
  }

  /** What must be loaded for a placed cluster, in order. Call it once. */
  want(id: number, cluster: string): readonly PastLoad[] {
    const { need, clusters } = this.#get(id);
    const held = heldOf(clusters, cluster);
    const isDeletes = need.purpose === "deletes";
    this.#cache.dropReplaced(cluster, this.#options.present.get(cluster)?.texts);
    const wanted = [
      ...wantedRows(held, isDeletes ? 1 : held.places.length, {
        pin: (resource, position) => this.#cache.pin(cluster, resource, position, isDeletes),
        pinBefore: (place, sinceMs) => this.#cache.pinBefore(cluster, place, sinceMs),
        restore: (place) => (isDeletes ? undefined : this.#openRestore(cluster, place)),
      }),
      ...(isDeletes ? wantedDeletes(held) : []),
    ];
    held.pendingCount = wanted.length;
    return wanted;
  }

  /**
   * Folds segments of a load, in their order. Throws TOO_LARGE if the rows of the read do not fit into memory, and
   * UNAVAILABLE if they do not beside those of other reads.
   */
  async load(id: number, page: PastSegments): Promise<PastLoadOutcome> {
    const open = this.#openLoad(id, page.cluster);
    const restore = open.held.restores.get(rowsKeyOf(page.load));
    if (restore !== undefined && page.load.what === "touched") return this.#loadTouched(open, page, restore);
    const kind = await this.#openKind(open, page.load);
    const deleted = open.held.deleted.get(page.load.resource);
    const collecting =
      page.load.what === "rows" || deleted === undefined
        ? {}
        : {
            sink: deleted,
            onSegment: ({ receivedAtMs }: { readonly receivedAtMs: number }) =>
              void (deleted.receivedAtMs = receivedAtMs),
          };
    const onGrown = (): void => {
      this.#count(open.read, open.past);
      if (deleted !== undefined) this.#count(open.read, deleted);
    };
    const only =
      restore === undefined || restore.isGivenUp
        ? undefined
        : { keys: restore.touched, onKeys: (keys: BatchKeys) => restore.noteKeys(keys) };
    const target = { table: kind.table, check: open.check, onGrown, only, ...collecting };
    const outcome = await foldSegments(page, target, this.#options);
    onGrown();
    return outcome;
  }

  /** All segments of a load were folded: its rows can be read. */
  async complete(id: number, cluster: string, load: PastLoad): Promise<void> {
    const open = this.#openLoad(id, cluster);
    const { held } = open;
    if (load.what !== "touched") await this.#completeKind(open, load);
    held.pendingCount = (held.pendingCount ?? 1) - 1;
  }

  async #completeKind(open: OpenLoad, load: PastLoad): Promise<void> {
    const { cluster, held } = open;
    const key = loadKey(load);
    const restore = held.restores.get(key);
    const kind = await this.#openKind(open, load);
    if (load.what === "deletes") await this.#completeDeletes(open, load.resource, kind.table.kind);
    if (restore !== undefined && !restore.isGivenUp) await this.#completeRestore(open, kind, restore);
    held.restores.delete(key);
    held.loading.delete(key);
    if (load.what === "rows") {
      this.#cache.complete(kind);
      takeKind(held, kind);
    } else this.#cache.unpin(cluster, kind);
    const base = held.bases.get(key);
    if (base !== undefined) this.#cache.unpin(cluster, base);
    held.bases.delete(key);
  }

  /** The rows of a moment, of the clusters that are loaded completely so far. */
  fleet(id: number, moment = 0): PastFleet {
    const { present, fieldsOf } = this.#options;
    const clusters = this.#loaded(id).map(([cluster, { tables }]) => {
      return [cluster, tables[moment] ?? new Map<string, KindTable>()] as const;
    });
    for (const [cluster, tables] of clusters) this.#useNamespaces(cluster, tables);
    return new PastFleet(present.namespaces, clusters, fieldsOf);
  }

  /** The deleted objects, of the clusters that are loaded completely so far. */
  deleted(id: number): DeletedFleet {
    const { present, fieldsOf } = this.#options;
    const clusters = new Map(this.#loaded(id));
    for (const [cluster, { deletedTables }] of clusters) this.#useNamespaces(cluster, deletedTables);
    return new DeletedFleet(present.namespaces, clusters, fieldsOf);
  }

  /** Ends a read, also one that is being loaded. */
  close(id: number): void {
    const clusters = this.#reads.get(id)?.clusters ?? new Map<string, ReadCluster>();
    this.#reads.delete(id);
    for (const [cluster, { pinned, loading, bases, deletes, deleted }] of clusters) {
      for (const kind of [...pinned, ...loading.values(), ...bases.values()]) this.#cache.unpin(cluster, kind);
      if (deletes !== undefined) this.#cache.drop(deletes);
      for (const rows of deleted.values()) this.#cache.drop(rows);
    }
  }

  /** Releases the tables that are kept for the next read. */
  clear(): void {
    this.#cache.clear();
  }

  /** Forgets the rows of a removed cluster, whose history the log has no longer. */
  removeCluster(cluster: string): void {
    this.#cache.removeCluster(cluster);
  }

  #openLoad(id: number, cluster: string): OpenLoad {
    const read = this.#get(id);
    const check = (): void => {
      if (this.#reads.get(id) !== read) throw cancelled();
    };
    return { read, cluster, held: heldOf(read.clusters, cluster), past: this.#cache.open(cluster), check };
  }

  /** The table that a load is folded into. With `from` it begins as a copy: the rows as of that place stay. */
  async #openKind({ read, cluster, held, past, check }: OpenLoad, load: PastLoad): Promise<PastKind> {
    const key = loadKey(load);
    const known = held.loading.get(key);
    if (known !== undefined) return known;
    const { resource, upTo: position, from } = load;
    const of = from === undefined || from.position === 0 ? undefined : past.findOwn(resource, from.position);
    assert(of !== undefined || (from?.position ?? 0) === 0, "a table that is continued is pinned");
    const table =
      of === undefined ? undefined : await runInTurns(of.table.forkInSteps(0), check, this.#options.takeTurn);
    const receivedAtMs = held.places
      .map((places) => places.get(resource))
      .find((place) => place?.position === position);
    const kind = past.add({ resource, position, receivedAtMs: receivedAtMs?.receivedAtMs ?? 0 }, table);
    held.loading.set(key, kind);
    if (load.what === "deletes") {
      const visibility = read.need.visibilityOf(cluster, resource);
      held.deleted.set(resource, new DeletedRows((namespace, name) => isVisible(visibility, namespace, name)));
    }
    this.#count(read, past);
    return kind;
  }

  #openRestore(cluster: string, place: LogPlace): OpenedRestore | undefined {
    const { present, isWorthRestoring: isWorth = isWorthRestoring } = this.#options;
    const newer = findNewerKind(present, cluster, place);
    if (newer === undefined) return undefined;
    const restore = new KindRestore(newer.table, isWorth);
    return restore.isGivenUp ? undefined : { restore, position: newer.position };
  }

  /** Collects keys. A segment that cannot be read may have changed any object. */
  async #loadTouched({ check }: OpenLoad, page: PastSegments, restore: KindRestore): Promise<PastLoadOutcome> {
    for await (const { segment, keys } of readKeys(page, this.#options)) {
      check();
      if (keys instanceof FlotillaError) restore.giveUp();
      else restore.addTouched(segment.form, keys);
      if (restore.isGivenUp) break;
    }
    return { unreadableCount: 0, droppedCount: 0, detail: "", isEnough: restore.isGivenUp };
  }

  /** Replaces the touched rows of a kind by all its rows. */
  async #completeRestore({ read, past, check }: OpenLoad, kind: PastKind, restore: KindRestore): Promise<void> {
    kind.table = await runInTurns(restore.rowsInSteps(kind.table), check, this.#options.takeTurn);
    past.texts.commit();
    this.#count(read, past);
  }

  /** Folds the deleted objects into a table of their own. */
  async #completeDeletes({ read, held, check }: OpenLoad, resource: string, kindName: string): Promise<void> {
    const { hasher, takeTurn } = this.#options;
    const deleted = held.deleted.get(resource);
    if (deleted === undefined || deleted.count === 0) return;
    held.deletes ??= this.#cache.openPrivate();
    const past = held.deletes;
    const { table } = past.add({ resource, position: 0, receivedAtMs: 0 });
    for (const batch of deleted.batches(resource, kindName, hasher)) {
      await applyInTurns({ form: { kind: "delta" }, batch }, { table, check }, takeTurn);
      this.#count(read, past);
    }
    held.deletedTables.set(resource, table);
    held.deletions.set(resource, deleted.deletions());
  }

  /** Counts over clusters use one dictionary of namespaces, also for tables from before it was replaced. */
  #useNamespaces(cluster: string, tables: ReadonlyMap<string, KindTable>): void {
    const { present } = this.#options;
    for (const texts of new Set(tables.values().map((table) => table.cluster))) {
      if (this.#namespaces.get(texts) === present.namespaces) continue;
      if (present.get(cluster)?.texts !== texts) texts.useFleetNames(present.namespaces);
      this.#namespaces.set(texts, present.namespaces);
    }
  }

  #loaded(id: number): readonly (readonly [string, ReadCluster])[] {
    return [...this.#get(id).clusters].filter(([, { pendingCount }]) => pendingCount === 0);
  }

  #count(read: PastRead, grown: { readonly sizeBytes: number }): void {
    if (this.#cache.count(grown)) return;
    for (const other of this.#reads.values())
      if (other !== read && holdsTables(other))
        throw new FlotillaError("UNAVAILABLE", "other queries about past moments use all memory for them; try again");
    const limitMib = Math.round((this.#options.limitBytes ?? defaultLimitBytes) / 2 ** 20);
    throw new FlotillaError(
      "TOO_LARGE",
      `the rows of that moment take more than ${limitMib} MiB; narrow the query by cluster or kind`,
    );
  }

  #get(id: number): PastRead {
    const read = this.#reads.get(id);
    if (read === undefined) throw cancelled();
    return read;
  }
}

function heldOf(clusters: PastRead["clusters"], cluster: string): ReadCluster {
  const held = clusters.get(cluster);
  assert(held !== undefined, "a cluster is placed before it is loaded");
  return held;
}

function cancelled(): FlotillaError {
  return new FlotillaError("UNAVAILABLE", "the query was cancelled");
}
