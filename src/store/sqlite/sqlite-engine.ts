// SPDX-License-Identifier: Apache-2.0
// Desired state in one SQLite file. All calls are synchronous: they run in the store's own thread.
import { type DatabaseSync, type StatementSync } from "node:sqlite";
import { assert } from "../../base/assert.ts";
import { createId } from "../../base/id.ts";
import type { Random } from "../../base/random.ts";
import type { Clock } from "../../base/time/clock.ts";
import { type CommitBackend, commitUnits } from "../commit-units.ts";
import type { BodyCipher } from "../keys/body-cipher.ts";
import {
  assertRetained,
  type ChangesPage,
  type ChangesRequest,
  type CompactRequest,
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
import { allTables } from "../tables.ts";
import { ChangeLog } from "./change-log.ts";
import { openDatabase } from "./database.ts";
import { Rewrap } from "./rewrap.ts";
import { listAsOf, RowStatements, type StoredRow } from "./row-statements.ts";
import { toStoreError } from "./sqlite-error.ts";
import { SqliteLeases } from "./sqlite-leases.ts";
import { inTransaction, Snapshots } from "./transaction.ts";

export interface SqliteEngineOptions {
  /** The path of the file, or `:memory:`. */
  readonly file: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly cipher: BodyCipher;
}

/**
 * The embedded engine. Revisions are kept in `meta` and read in each transaction, because other processes may write to
 * the same file (ST42).
 */
export class SqliteEngine implements StoreEngine, CommitBackend {
  readonly #file: string;
  readonly #clock: Clock;
  readonly #cipher: BodyCipher;
  readonly #db: DatabaseSync;
  readonly #tables: ReadonlyMap<string, RowStatements>;
  readonly #log: ChangeLog;
  readonly #leases: SqliteLeases;
  readonly #rewrap: Rewrap;
  readonly #saveRevision: StatementSync;
  readonly #loadMeta: StatementSync;
  readonly #snapshots: Snapshots;
  /** The revision of the last write of the running transaction. */
  #writing = 0;

  constructor(options: SqliteEngineOptions) {
    this.#file = options.file;
    this.#clock = options.clock;
    this.#cipher = options.cipher;
    this.#db = openDatabase("hub", options.file, options.clock.wallMs());
    this.#transaction(() => createMeta(this.#db, options.random));
    this.#loadMeta = this.#db.prepare("SELECT store_id, revision, compacted_revision FROM meta");
    this.#snapshots = new Snapshots(this.#db, options.file);
    this.#tables = new Map(allTables.map((table) => [table.name, new RowStatements(this.#db, table)]));
    this.#log = new ChangeLog(this.#db, options.cipher);
    this.#leases = new SqliteLeases(this.#db);
    this.#rewrap = new Rewrap(this.#db, options.cipher);
    this.#saveRevision = this.#db.prepare("UPDATE meta SET revision = ?");
  }

  state(): EngineState {
    return this.#read(() => this.#loadState());
  }

  commit(units: readonly EngineUnit[]): readonly UnitOutcome[] {
    return this.#transaction(() => {
      const { revision } = this.#loadState();
      this.#writing = revision;
      const decided = commitUnits(this, units);
      if (this.#writing > revision) this.#saveRevision.run(this.#writing);
      return decided;
    });
  }

  current(table: string, key: string): EngineRow | undefined {
    const stored = this.#rows(table).get(key);
    return stored === undefined ? undefined : this.#open(table, stored);
  }

  leaseEpoch(name: string): number {
    return this.#leases.load(name)?.epoch ?? 0;
  }

  write(write: EngineWrite, previousRevision: number): number {
    const { table, key, body } = write;
    const revision = this.#writing + 1;
    this.#log.append({ revision, table, key, body, previousRevision, atMs: this.#clock.wallMs() });
    if (body === null) this.#rows(table).delete(key);
    else this.#rows(table).put(key, revision, body);
    this.#writing = revision;
    return revision;
  }

  get(table: string, key: string): EngineRow | undefined {
    return this.#read(() => this.current(table, key));
  }

  list(request: ListRequest): EnginePage {
    return this.#snapshot((state) => this.#list(request, state));
  }

  #list(request: ListRequest, state: EngineState): EnginePage {
    const revision = request.asOf ?? state.revision;
    assertRetained(revision, state.compactedRevision);
    const current = this.#rows(request.table).list(request.prefix, request.after, revision);
    const undone = revision === state.revision ? [] : this.#log.replacedSince(request, revision);
    const rows: EngineRow[] = [];
    let bytes = 0;
    for (const stored of listAsOf(current, undone)) {
      if (rows.length === request.limit || bytes >= request.bytesLimit) return { rows, revision, more: true };
      const row = this.#open(request.table, stored);
      rows.push(row);
      bytes += row.body.length;
    }
    return { rows, revision, more: false };
  }

  changes(request: ChangesRequest): ChangesPage {
    return this.#snapshot(({ revision, compactedRevision }) => {
      assertRetained(request.after, compactedRevision);
      return { changes: this.#log.read(request), headRevision: revision };
    });
  }

  compact(request: CompactRequest): { readonly compactedRevision: number; readonly more: boolean } {
    return this.#transaction(() => {
      const { revision, compactedRevision } = this.#loadState();
      return this.#log.compact(request, revision - request.keepCount, compactedRevision);
    });
  }

  acquireLease(name: string, holder: string, ttlMs: number): LeaseReply {
    return this.#transaction(() => this.#leases.acquire(name, holder, ttlMs, this.#clock.wallMs()));
  }

  releaseLease(name: string, holder: string): boolean {
    return this.#transaction(() => this.#leases.release(name, holder));
  }

  rewrapBodies(position: string, limit: number): { readonly rewrapped: number; readonly next?: string } {
    return this.#transaction(() => this.#rewrap.piece(position, limit));
  }

  close(): void {
    this.#db.close();
  }

  #transaction<Result>(work: () => Result): Result {
    return inTransaction(this.#db, this.#file, work);
  }

  /** Runs a read outside a transaction. Converts errors of SQLite. */
  #read<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (reason) {
      throw toStoreError(reason, this.#file);
    }
  }

  /** Runs several read statements on one state. */
  #snapshot<Result>(work: (state: EngineState) => Result): Result {
    return this.#snapshots.run(() => work(this.#loadState()));
  }

  #loadState(): EngineState {
    const meta = this.#loadMeta.get() ?? {};
    return {
      storeId: String(meta["store_id"]),
      revision: Number(meta["revision"]),
      compactedRevision: Number(meta["compacted_revision"]),
    };
  }

  #rows(table: string): RowStatements {
    const rows = this.#tables.get(table);
    assert(rows !== undefined, `there is no table ${table}`);
    return rows;
  }

  #open(table: string, { key, revision, sealed }: StoredRow): EngineRow {
    return { key, revision, body: this.#cipher.open(table, key, sealed) };
  }
}

function createMeta(db: DatabaseSync, random: Random): void {
  db.prepare(
    "INSERT INTO meta (id, store_id, revision, compacted_revision) VALUES (1, ?, 0, 0) ON CONFLICT DO NOTHING",
  ).run(createId("st", random));
}
