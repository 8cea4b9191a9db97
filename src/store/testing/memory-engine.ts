// SPDX-License-Identifier: Apache-2.0
// Desired state in memory, for tests, simulations and playgrounds that need no durability.
import type { Clock } from "../../base/time/clock.ts";
import { type CommitBackend, commitUnits } from "../commit-units.ts";
import {
  assertRetained,
  type ChangesPage,
  type ChangesRequest,
  type CompactRequest,
  type EngineChange,
  type EnginePage,
  type EngineRow,
  type EngineState,
  type EngineUnit,
  type EngineWrite,
  type LeaseReply,
  type ListRequest,
  type StoreEngine,
  type UnitOutcome,
} from "../store-engine.ts";
import { MemoryLeases } from "./memory-leases.ts";
import { SortedRows } from "./sorted-rows.ts";

interface LoggedChange extends EngineChange {
  readonly atMs: number;
  /** The replaced row, by reference, so that past revisions need no copy. */
  readonly previous: EngineRow | undefined;
}

/** An engine without durability. */
export class MemoryEngine implements StoreEngine, CommitBackend {
  readonly #clock: Clock;
  readonly #storeId: string;
  readonly #tables = new Map<string, SortedRows>();
  readonly #leases: MemoryLeases;
  /** The change of revision r is at index r - compacted - 1: revisions have no gaps. */
  #changes: LoggedChange[] = [];
  #compactedRevision = 0;

  constructor(options: { readonly clock: Clock; readonly storeId: string }) {
    this.#clock = options.clock;
    this.#storeId = options.storeId;
    this.#leases = new MemoryLeases(options.clock);
  }

  get #revision(): number {
    return this.#compactedRevision + this.#changes.length;
  }

  state(): EngineState {
    return { storeId: this.#storeId, revision: this.#revision, compactedRevision: this.#compactedRevision };
  }

  commit(units: readonly EngineUnit[]): readonly UnitOutcome[] {
    return commitUnits(this, units);
  }

  current(table: string, key: string): EngineRow | undefined {
    return this.#rows(table).get(key);
  }

  leaseEpoch(name: string): number {
    return this.#leases.epoch(name);
  }

  write(write: EngineWrite, previousRevision: number): number {
    const { table, key } = write;
    const rows = this.#rows(table);
    const revision = this.#revision + 1;
    const previous = rows.get(key);
    const isDelete = write.body === null;
    const body = write.body ?? previous?.body ?? new Uint8Array();
    this.#changes.push({
      revision,
      table,
      key,
      isDelete,
      previousRevision,
      body,
      previous,
      atMs: this.#clock.wallMs(),
    });
    if (write.body === null) rows.delete(key);
    else rows.set({ key, revision, body });
    return revision;
  }

  get(table: string, key: string): EngineRow | undefined {
    return this.#rows(table).get(key);
  }

  list(request: ListRequest): EnginePage {
    const revision = request.asOf ?? this.#revision;
    assertRetained(revision, this.#compactedRevision);
    const source = revision === this.#revision ? this.#rows(request.table) : this.#asOf(request.table, revision);
    const rows: EngineRow[] = [];
    let bytes = 0;
    for (const row of source.from(request.prefix, request.after)) {
      if (rows.length === request.limit || bytes >= request.bytesLimit) return { rows, revision, more: true };
      rows.push(row);
      bytes += row.body.length;
    }
    return { rows, revision, more: false };
  }

  changes(request: ChangesRequest): ChangesPage {
    assertRetained(request.after, this.#compactedRevision);
    const changes: EngineChange[] = [];
    let bytes = 0;
    for (let index = request.after - this.#compactedRevision; index < this.#changes.length; index += 1) {
      const change = this.#changes[index];
      if (change === undefined || changes.length === request.limit || bytes >= request.bytesLimit) break;
      changes.push(change);
      bytes += change.body.length;
    }
    return { changes, headRevision: this.#revision };
  }

  compact(request: CompactRequest): { readonly compactedRevision: number; readonly more: boolean } {
    const allowed = Math.max(0, this.#changes.length - request.keepCount);
    const young = this.#changes.findIndex((change) => change.atMs >= request.beforeMs);
    const due = Math.min(allowed, young === -1 ? this.#changes.length : young);
    const count = Math.min(due, request.limit);
    this.#changes = this.#changes.slice(count);
    this.#compactedRevision += count;
    return { compactedRevision: this.#compactedRevision, more: due > count };
  }

  acquireLease(name: string, holder: string, ttlMs: number): LeaseReply {
    return this.#leases.acquire(name, holder, ttlMs);
  }

  releaseLease(name: string, holder: string): boolean {
    return this.#leases.release(name, holder);
  }

  rewrapBodies(): { readonly rewrapped: number } {
    return { rewrapped: 0 };
  }

  close(): void {
    this.#tables.clear();
    this.#changes = [];
  }

  /** The table at a retained revision: undoes later changes, newest first. */
  #asOf(table: string, revision: number): SortedRows {
    const rows = this.#rows(table).copy();
    for (const change of this.#changes.slice(revision - this.#compactedRevision).toReversed()) {
      if (change.table !== table) continue;
      if (change.previous === undefined) rows.delete(change.key);
      else rows.set(change.previous);
    }
    return rows;
  }

  #rows(table: string): SortedRows {
    let rows = this.#tables.get(table);
    if (rows === undefined) {
      rows = new SortedRows();
      this.#tables.set(table, rows);
    }
    return rows;
  }
}
