// SPDX-License-Identifier: Apache-2.0
// The Store over any engine. Grouping, the shared tail and the watches are implemented here once.

import { FlotillaError } from "../base/error.ts";
import type { Clock } from "../base/time/clock.ts";
import { type Cursor, parseStoreId, type Revision, type StoreId, toRevision } from "../model/revision.ts";
import { CommitGroups } from "./commit-groups.ts";
import { toAfter, toChanges, toOutcome, toRow, toUnit } from "./engine-messages.ts";
import type {
  CommitOutcome,
  CompactOptions,
  Fence,
  Key,
  Leases,
  RowPage,
  Store,
  StoreListOptions,
  TableRow,
  WatchBatch,
  WatchOptions,
  Write,
} from "./store.ts";
import { assertRetained, type EngineState, type EngineUnit, type StorePort, type UnitOutcome } from "./store-engine.ts";
import { createLeases } from "./store-leases.ts";
import { joinKey, joinPrefix, type TableSpec } from "./table.ts";
import { rootWorkspace } from "./tables.ts";
import { ChangeTail } from "./watch/change-tail.ts";
import { TailFollower } from "./watch/tail-follower.ts";
import { watchTable } from "./watch/watch-table.ts";

export interface StoreOptions {
  readonly clock: Clock;
  /** The workspace of the hub's own rows. Default: `rootWorkspace`. */
  readonly workspace?: string;
  /** The idle time after which a watch gets a bookmark. The Kubernetes API server sends one about every minute. */
  readonly bookmarkMs?: number;
  /** The limit on bytes of recent changes kept for watches: several seconds of writing at full speed by default. */
  readonly tailBytes?: number;
  /**
   * The interval at which commits of other processes are polled (ST41). Omitted if no other process writes to the
   * store.
   */
  readonly pollMs?: number;
}

/** The default and the largest number of rows in a page (ST12). */
const pageRows = 500;
const maxPageRows = 5000;
const pageBytes = 4 * 1024 * 1024;
/** Changes or bodies in one step of background work: some 10 ms of the engine's time. */
const pieceCount = 1000;

/** Creates a store over this engine. The store owns the port and closes it. */
export async function createStore(port: StorePort, options: StoreOptions): Promise<Store> {
  return new EngineStore(port, await port.state(), options);
}

class EngineStore implements Store {
  readonly storeId: StoreId;
  readonly workspace: string;
  readonly leases: Leases;
  readonly #port: StorePort;
  readonly #clock: Clock;
  readonly #bookmarkMs: number;
  readonly #tail: ChangeTail;
  readonly #groups: CommitGroups;
  readonly #follower: TailFollower;
  readonly #closing = new AbortController();
  #compactedRevision: number;
  #closed: Promise<void> | undefined;

  constructor(port: StorePort, state: EngineState, options: StoreOptions) {
    this.storeId = parseStoreId(state.storeId);
    this.workspace = options.workspace ?? rootWorkspace;
    this.leases = createLeases(port, () => this.#assertOpen());
    this.#port = port;
    this.#clock = options.clock;
    this.#bookmarkMs = options.bookmarkMs ?? 60_000;
    this.#tail = new ChangeTail(state.revision, options.tailBytes ?? 8 * 1024 * 1024);
    this.#groups = new CommitGroups(port, (units, outcomes) => this.#appendToTail(units, outcomes));
    this.#compactedRevision = state.compactedRevision;
    this.#follower = new TailFollower({
      port,
      tail: this.#tail,
      clock: options.clock,
      pollMs: options.pollMs,
      page: { limit: pieceCount, bytesLimit: pageBytes },
      onReset: ({ compactedRevision }) => {
        this.#compactedRevision = compactedRevision;
      },
    });
  }

  get revision(): Revision {
    return toRevision(this.#tail.revision);
  }

  get oldestRevision(): Revision {
    return toRevision(this.#compactedRevision);
  }

  noteCommitted(revision: Revision): void {
    this.#follower.note(Number(revision));
  }

  async commit(writes: readonly Write[], options: { readonly fence?: Fence } = {}): Promise<CommitOutcome> {
    this.#assertOpen();
    return toOutcome(await this.#groups.commit(toUnit(writes, options.fence)));
  }

  async get<T extends TableSpec>(
    table: T,
    key: Key,
    options: { readonly atLeast?: Revision } = {},
  ): Promise<TableRow<T> | undefined> {
    this.#assertOpen();
    const joined = joinKey(table, key);
    await this.#reach(options.atLeast);
    const found = await this.#port.get(table.name, joined);
    return found === undefined ? undefined : toRow(table, found);
  }

  async list<T extends TableSpec>(table: T, options: StoreListOptions = {}): Promise<RowPage<T>> {
    this.#assertOpen();
    const limit = Math.min(Math.max(1, options.limit ?? pageRows), maxPageRows);
    const prefix = joinPrefix(table, options.prefix ?? []);
    const after = options.after === undefined ? {} : { after: toAfter(table, prefix, options.after) };
    await this.#reach(options.atLeast);
    await this.#reach(options.asOf);
    const page = await this.#port.list({
      table: table.name,
      prefix,
      limit,
      bytesLimit: pageBytes,
      ...after,
      ...(options.asOf === undefined ? {} : { asOf: Number(options.asOf) }),
    });
    return { rows: page.rows.map((row) => toRow(table, row)), revision: toRevision(page.revision), more: page.more };
  }

  async *watch<T extends TableSpec>(table: T, options: WatchOptions): AsyncGenerator<WatchBatch<T>> {
    this.#assertOpen();
    const { from } = options;
    if (from.storeId !== this.storeId) {
      throw new FlotillaError("GONE", "the cursor is of another store: list again, then watch from there", {
        ids: { storeId: this.storeId },
      });
    }
    await this.#reach(from.revision);
    assertRetained(Number(from.revision), this.#compactedRevision);
    const source = { port: this.#port, tail: this.#tail, clock: this.#clock, bookmarkMs: this.#bookmarkMs };
    const signal = AbortSignal.any([options.signal, this.#closing.signal]);
    yield* watchTable(source, {
      table,
      prefix: joinPrefix(table, options.prefix ?? []),
      from: from.revision,
      progress: options.progress,
      signal,
    });
  }

  cursor(revision: Revision = this.revision): Cursor {
    return { storeId: this.storeId, revision };
  }

  async compact(options: CompactOptions): Promise<Revision> {
    this.#assertOpen();
    const beforeMs = this.#clock.wallMs() - options.olderThanMs;
    for (let more = true; more && !this.#closing.signal.aborted; ) {
      const piece = await this.#port.compact({ beforeMs, keepCount: options.keepCount, limit: pieceCount });
      this.#compactedRevision = piece.compactedRevision;
      more = piece.more;
    }
    return toRevision(this.#compactedRevision);
  }

  /** Encrypts values under the newest key that are under an older one. Returns how many. */
  async rewrapBodies(): Promise<number> {
    this.#assertOpen();
    let total = 0;
    for (let position: string | undefined = ""; position !== undefined && !this.#closing.signal.aborted; ) {
      const piece: { rewrapped: number; next?: string } = await this.#port.rewrapBodies(position, pieceCount);
      total += piece.rewrapped;
      position = piece.next;
    }
    return total;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort(new FlotillaError("UNAVAILABLE", "the store is closing"));
    await this.#groups.drain();
    await this.#follower.close();
    await this.#port.close();
  }

  #assertOpen(): void {
    if (this.#closing.signal.aborted) throw new FlotillaError("UNAVAILABLE", "the store is closed");
  }

  /**
   * Reads what others committed if `revision` is not known here yet (ST10). Throws REVISION_AHEAD if it is not there
   * either.
   */
  async #reach(revision: Revision | undefined): Promise<void> {
    if (revision === undefined || revision <= this.#tail.revision) return;
    await this.#follower.catchUp();
    if (revision > this.#tail.revision) {
      throw new FlotillaError(
        "REVISION_AHEAD",
        `revision ${revision} has not reached this hub, which is at ${this.#tail.revision}; try again`,
      );
    }
  }

  /** Appends the changes of a group to the tail. Revisions of another writer in between are read from the log first. */
  async #appendToTail(units: readonly EngineUnit[], outcomes: readonly UnitOutcome[]): Promise<void> {
    const changes = toChanges(units, outcomes);
    const first = changes[0];
    if (first === undefined) return;
    if (first.revision === this.#tail.revision + 1 && changes.at(-1)?.revision === this.#tail.revision + changes.length)
      this.#tail.append(changes);
    else await this.#follower.catchUp();
  }
}
