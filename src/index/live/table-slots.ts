// SPDX-License-Identifier: Apache-2.0
import type { QueriedCluster, QueriedFleet } from "../query/query-request.ts";
import type { ClusterFields } from "../scan/row-filter.ts";
import type { KindTable } from "../table/kind-table.ts";

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

/**
 * The tables of the fleet, and when each last changed, for all live views together. A live view compares one number
 * with those of the slots to find what it has to read again. Only `update` and `noteAccess` change it.
 */
export class TableSlots {
  readonly #clusters = new Map<string, HeldSlots>();
  #changedAt = new Float64Array(64);
  #count = 0;
  #deadCount = 0;
  #version = 1;
  #accessVersion = 0;
  #generation = 1;

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
      for (const slot of held.slots.values()) this.#mark(slot, next);
      isChanged = true;
    }
    for (const [resource, table] of tables) {
      const slot = held.slots.get(resource) ?? this.#addSlot(held, resource);
      if (slot.table === table && slot.version === table.version) continue;
      if (slot.table === undefined) this.#deadCount -= 1;
      slot.table = table;
      slot.version = table.version;
      this.#mark(slot, next);
      isChanged = true;
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
    this.#mark(slot, next);
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
      const larger = new Float64Array(this.#changedAt.length * 2);
      larger.set(this.#changedAt);
      this.#changedAt = larger;
    }
    cluster.slots.set(resource, slot);
    return slot;
  }

  #mark(slot: HeldSlot, version: number): void {
    this.#changedAt[slot.number] = version;
  }
}

function isSameFields(a: ClusterFields, b: ClusterFields): boolean {
  return a.region === b.region && a.environment === b.environment;
}
