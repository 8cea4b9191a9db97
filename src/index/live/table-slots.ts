// SPDX-License-Identifier: Apache-2.0
import type { DeltaSink, TableDelta } from "../fold/table-delta.ts";
import type { QueriedCluster, QueriedFleet } from "../query/query-request.ts";
import type { ClusterFields } from "../scan/row-filter.ts";
import type { KindTable } from "../table/kind-table.ts";
import { LiveLog, type LoggedChanges } from "./live-log.ts";

/** One kind of one cluster. Its number is below `TableSlots.count`. */
export interface TableSlot {
  readonly number: number;
  readonly resource: string;
}

/** The slots of one cluster. */
export interface ClusterSlots {
  readonly cluster: string;
  readonly slots: ReadonlyMap<string, TableSlot>;
  /** The version at which grants in the cluster may have changed last. */
  readonly accessChangedAt: number;
}

interface HeldSlot extends TableSlot {
  /** Undefined after the table was removed. */
  table: KindTable | undefined;
  version: number;
}

interface HeldSlots extends ClusterSlots {
  readonly slots: Map<string, HeldSlot>;
  fields: ClusterFields;
  accessChangedAt: number;
}

/** Slots of removed tables that are kept before all are numbered anew. */
const maxDeadCount = 1_000;

/** The bound of the changes that are kept: those of 4 s at 2,000 changes of rows of 2 KB a second. */
const defaultMaxLogBytes = 32 * 1024 * 1024;

/**
 * The tables of the fleet, and when each last changed, for all live views together. A live view compares one number
 * with those of the slots to find what it has to look at. Changes that are known object by object are in a log; of
 * others only the table is known, which has to be read again. Only `update` and `noteAccess` change what views see.
 */
export class TableSlots implements DeltaSink {
  readonly #clusters = new Map<string, HeldSlots>();
  #changedAt = new Float64Array(64);
  /** By slot: views of an earlier version have to read the table. */
  #unloggedAt = new Float64Array(64);
  #unloggedVersion = 0;
  #droppedVersion = 0;
  readonly #log: LiveLog;
  readonly #maxLogBytes: number;
  /** Deltas since the last update. */
  readonly #pending = new Map<KindTable, TableDelta[]>();
  #pendingBytes = 0;
  #count = 0;
  #deadCount = 0;
  #version = 1;
  #accessVersion = 0;
  #generation = 1;

  constructor(maxLogBytes = defaultMaxLogBytes) {
    this.#log = new LiveLog(maxLogBytes);
    this.#maxLogBytes = maxLogBytes;
  }

  /** Numbers of slots are valid for one generation. */
  get generation(): number {
    return this.#generation;
  }

  /** Incremented when any table or grant changes. */
  get version(): number {
    return this.#version;
  }

  /** The version at which grants changed, or a cluster appeared, last. */
  get accessVersion(): number {
    return this.#accessVersion;
  }

  /** Numbers of slots are below this number. */
  get count(): number {
    return this.#count;
  }

  /** The clusters that have, or had, tables. */
  clusters(): Iterable<ClusterSlots> {
    return this.#clusters.values();
  }

  find(cluster: string, resource: string): TableSlot | undefined {
    return this.#clusters.get(cluster)?.slots.get(resource);
  }

  /** The version at which a slot's table or its cluster's fields changed last. */
  changedAt(slot: TableSlot): number {
    return this.#changedAt[slot.number] ?? 0;
  }

  /** The version at which a slot changed last in a way that the log does not have, or no longer has. */
  unloggedAt(slot: TableSlot): number {
    return this.#unloggedAt[slot.number] ?? 0;
  }

  /** The latest of these versions, of all slots. */
  get unloggedVersion(): number {
    return this.#unloggedVersion;
  }

  /** The version of the newest changes that were dropped from the log. */
  get droppedVersion(): number {
    return this.#droppedVersion;
  }

  /** The changes after a version, in order. Complete for slots whose `unloggedAt` is not later than the version. */
  changesSince(version: number): readonly LoggedChanges[] {
    return this.#log.since(version);
  }

  /** The memory of the changes that are kept. */
  get logBytes(): number {
    return this.#log.sizeBytes + this.#pendingBytes;
  }

  /** False while no view uses the slots. */
  get wantsDeltas(): boolean {
    return this.#clusters.size > 0;
  }

  /** Keeps a delta for the next update. Older changes make room for it. */
  noteDelta(delta: TableDelta): void {
    this.#pendingBytes += delta.sizeBytes;
    if (this.#pendingBytes > this.#maxLogBytes) {
      // Their tables are read instead.
      this.#dropPending();
      return;
    }
    const deltas = this.#pending.get(delta.table);
    if (deltas === undefined) this.#pending.set(delta.table, [delta]);
    else deltas.push(delta);
    for (const { slot, version } of this.#log.makeRoom(this.#pendingBytes)) {
      this.#noteUnlogged(slot, version);
      this.#droppedVersion = version;
    }
  }

  /** Compares the tables with those of the last call. It takes about 30 ns a table. */
  update(fleet: QueriedFleet): void {
    if (this.#deadCount > maxDeadCount + this.#count / 2) this.clear();
    const next = this.#version + 1;
    let isChanged = false;
    const ids = fleet.clusterIds();
    for (const id of ids) {
      const cluster = fleet.get(id);
      if (cluster !== undefined && this.#updateCluster(id, cluster, next)) isChanged = true;
    }
    if (this.#clusters.size > ids.length && this.#dropRemoved(fleet, next)) isChanged = true;
    if (isChanged) this.#version = next;
    this.#dropPending();
  }

  /** Grants of these clusters may have changed. */
  noteAccess(clusters: ReadonlySet<string>): void {
    this.#version += 1;
    this.#accessVersion = this.#version;
    for (const cluster of clusters) {
      const held = this.#clusters.get(cluster);
      if (held !== undefined) held.accessChangedAt = this.#version;
    }
  }

  /** Forgets all tables. Slots have other numbers afterwards. */
  clear(): void {
    this.#clusters.clear();
    this.#log.clear();
    this.#dropPending();
    this.#unloggedAt.fill(0);
    this.#count = 0;
    this.#deadCount = 0;
    this.#generation += 1;
  }

  #updateCluster(id: string, { fields, tables }: QueriedCluster, next: number): boolean {
    const known = this.#clusters.get(id);
    const held = known ?? this.#addCluster(id, fields, next);
    let isChanged = known === undefined;
    if (!isSameFields(held.fields, fields)) {
      held.fields = fields;
      for (const slot of held.slots.values()) this.#markUnlogged(slot.number, next);
      isChanged = true;
    }
    for (const [resource, table] of tables) {
      const slot = held.slots.get(resource) ?? this.#addSlot(held, resource);
      if (slot.table === table && slot.version === table.version) continue;
      const deltas = this.#deltasOf(slot, table);
      if (slot.table === undefined) this.#deadCount -= 1;
      slot.table = table;
      slot.version = table.version;
      isChanged = true;
      if (deltas === undefined) this.#markUnlogged(slot.number, next);
      else this.#addToLog(slot, fields, deltas, next);
    }
    if (held.slots.size === tables.size) return isChanged;
    for (const slot of held.slots.values())
      if (!tables.has(slot.resource) && this.#dropTable(slot, next)) isChanged = true;
    return isChanged;
  }

  #dropRemoved(fleet: QueriedFleet, next: number): boolean {
    let isChanged = false;
    for (const { cluster, slots } of this.#clusters.values()) {
      if (fleet.get(cluster) !== undefined) continue;
      for (const slot of slots.values()) if (this.#dropTable(slot, next)) isChanged = true;
    }
    return isChanged;
  }

  #dropTable(slot: HeldSlot, next: number): boolean {
    if (slot.table === undefined) return false;
    slot.table = undefined;
    this.#deadCount += 1;
    this.#markUnlogged(slot.number, next);
    return true;
  }

  #addCluster(cluster: string, fields: ClusterFields, next: number): HeldSlots {
    const held: HeldSlots = { cluster, fields, slots: new Map(), accessChangedAt: next };
    this.#clusters.set(cluster, held);
    this.#accessVersion = next;
    return held;
  }

  #addSlot(cluster: HeldSlots, resource: string): HeldSlot {
    const slot: HeldSlot = { number: this.#count, resource, table: undefined, version: 0 };
    this.#count += 1;
    this.#deadCount += 1;
    if (this.#count > this.#changedAt.length) {
      this.#changedAt = withDoubleLength(this.#changedAt);
      this.#unloggedAt = withDoubleLength(this.#unloggedAt);
    }
    cluster.slots.set(resource, slot);
    return slot;
  }

  /** The deltas that lead from the version of the slot to that of the table; undefined if there is a gap. */
  #deltasOf(slot: HeldSlot, table: KindTable): readonly TableDelta[] | undefined {
    const deltas = slot.table === table ? this.#pending.get(table) : undefined;
    let { version } = slot;
    for (const { fromVersion, toVersion } of deltas ?? []) {
      if (fromVersion !== version) return undefined;
      version = toVersion;
    }
    return version === table.version ? deltas : undefined;
  }

  #addToLog(slot: HeldSlot, fields: ClusterFields, deltas: readonly TableDelta[], version: number): void {
    this.#changedAt[slot.number] = version;
    const { number, resource } = slot;
    for (const { toVersion, changes, sizeBytes } of deltas) {
      if (changes.length === 0) continue;
      this.#log.add({ slot: number, version, tableVersion: toVersion, changes, sizeBytes, resource, fields });
    }
  }

  #markUnlogged(slot: number, version: number): void {
    this.#changedAt[slot] = version;
    this.#noteUnlogged(slot, version);
  }

  #noteUnlogged(slot: number, version: number): void {
    this.#unloggedAt[slot] = Math.max(this.#unloggedAt[slot] ?? 0, version);
    this.#unloggedVersion = Math.max(this.#unloggedVersion, version);
  }

  #dropPending(): void {
    this.#pending.clear();
    this.#pendingBytes = 0;
  }
}

function withDoubleLength(values: Float64Array): Float64Array<ArrayBuffer> {
  const longer = new Float64Array(values.length * 2);
  longer.set(values);
  return longer;
}

function isSameFields(a: ClusterFields, b: ClusterFields): boolean {
  return a.region === b.region && a.environment === b.environment;
}
