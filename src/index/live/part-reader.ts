// SPDX-License-Identifier: Apache-2.0

import { orderTables } from "../cells/ordered-tables.ts";
import { defaultSliceRows, QueryWork } from "../query/query-work.ts";
import { RowSelector } from "../query/row-selector.ts";
import type { TableTest } from "../scan/table-test.ts";
import type { LoggedChanges } from "./live-log.ts";
import type { LiveParts } from "./live-parts.ts";
import type { LiveFleet, LiveRequest } from "./live-request.ts";
import type { ClusterSlots, TableSlot } from "./table-slots.ts";

/** Tables to read, by cluster. */
export type TablesToRead = ReadonlyMap<ClusterSlots, readonly TableSlot[]>;

export interface PartReaderOptions extends LiveFleet {
  readonly request: LiveRequest;
  readonly tableTest: TableTest;
  readonly parts: LiveParts;
  readonly nowMs: number;
}

/** Testing a row of a change takes the time of so many rows of a table. */
const rowsPerChange = 16;

/** Reads tables for one refresh of a live view, in slices. The tables of a cluster are read together if a slice allows it. */
export class PartReader {
  readonly #options: PartReaderOptions;
  readonly #work: QueryWork;
  readonly #selector: RowSelector;
  #readCount = 0;

  constructor(options: PartReaderOptions) {
    this.#options = options;
    this.#work = new QueryWork(undefined, options.sliceRows ?? defaultSliceRows);
    this.#selector = new RowSelector(options.request.filter);
  }

  /** The tables that were read. */
  get readCount(): number {
    return this.#readCount;
  }

  /** Reads tables whose candidates were removed. False if the parts are too large: the rest is then not read. */
  *read(tables: TablesToRead): Generator<void, boolean, undefined> {
    for (const [{ cluster }, slots] of tables) {
      for (const slot of slots) {
        if (this.#work.isSliceFull) yield* this.#pause();
        this.#read(cluster, slot);
      }
      if (this.#isTooLarge()) return false;
    }
    this.#options.parts.release();
    return true;
  }

  /** Applies changes of tables. False as `read`. */
  *follow(changes: readonly LoggedChanges[]): Generator<void, boolean, undefined> {
    const { parts, nowMs } = this.#options;
    for (const each of changes) {
      if (this.#work.isSliceFull) yield* this.#pause();
      this.#work.touch(each.changes.length * rowsPerChange);
      parts.apply(each, { resource: each.resource, fields: each.fields, nowMs });
    }
    return !this.#isTooLarge();
  }

  /** Fills the pool anew, from all tables that have selected rows. False as `read`. */
  *refill(): Generator<void, boolean, undefined> {
    const { fleet, slots, parts } = this.#options;
    parts.pool.clear();
    for (const cluster of fleet.clusterIds()) {
      const queried = fleet.get(cluster);
      const resources = queried === undefined ? [] : orderTables(queried.tables, queried.texts).resources;
      for (const resource of resources) {
        const slot = slots.find(cluster, resource);
        if (slot === undefined || !parts.hasRows(slot.number)) continue;
        if (this.#work.isSliceFull) yield* this.#pause();
        this.#read(cluster, slot);
      }
      if (this.#isTooLarge()) return false;
      if (parts.pool.isFilled) break;
    }
    parts.release();
    return true;
  }

  *#pause(): Generator<void, void, undefined> {
    this.#options.parts.release();
    yield;
    this.#work.startSlice();
  }

  #isTooLarge(): boolean {
    const { parts, budget } = this.#options;
    return parts.sizeBytes > budget.maxViewBytes;
  }

  #read(cluster: string, { number, resource }: TableSlot): void {
    const { fleet, request, tableTest, parts, nowMs } = this.#options;
    this.#readCount += 1;
    parts.drop(number);
    const indexed = fleet.get(cluster);
    const table = indexed?.tables.get(resource);
    if (indexed === undefined || table === undefined) return;
    const view = { table, resource, fields: indexed.fields, nowMs };
    if (tableTest(view) === false) return;
    this.#work.touch(table.count);
    parts.read(number, view, request.visibilityOf(cluster, resource), this.#selector);
  }
}
