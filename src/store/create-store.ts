// SPDX-License-Identifier: Apache-2.0
// The Store over any engine: grouping, the shared tail and the watches are written once, here.
import type { Clock } from "../base/clock.ts";
import { FlotillaError } from "../base/error.ts";
import { type Cursor, parseStoreId, type Revision, type StoreId, toRevision } from "../model/revision.ts";
import { ChangeTail } from "./change-tail.ts";
import { CommitGroups } from "./commit-groups.ts";
import { assertRetained } from "./gone.ts";
import type {
  CommitOutcome,
  CompactOptions,
  Fence,
  Key,
  LeaseOutcome,
  Leases,
  ListOptions,
  Page,
  Row,
  Store,
  WatchBatch,
  WatchOptions,
  Write,
} from "./store.ts";
import type { EngineChange, EngineRow, EngineState, EngineUnit, StorePort, UnitOutcome } from "./store-engine.ts";
import { decodeValue, encodeValue, isUnder, joinKey, joinPrefix, splitKey, type TableSpec } from "./table.ts";
import { watchTable } from "./watch.ts";

export interface StoreOptions {
  readonly clock: Clock;
  /** Quiet time after which a watch is told how far it is. Kubernetes' own API server does so about once a minute. */
  readonly bookmarkMs?: number;
  /** Bytes of recent changes kept for watches; enough for several seconds of writing at full speed. */
  readonly tailBytes?: number;
}

/** Rows of a page: by default, and at the most (ST12). */
const pageRows = 500;
const maxPageRows = 5000;
const pageBytes = 4 * 1024 * 1024;
/** Changes or bodies in one piece of background work; some 10 ms of the engine's time. */
const pieceCount = 1000;

/** A store over this engine. The store owns the port from here on, and closes it. */
export async function createStore(port: StorePort, options: StoreOptions): Promise<Store> {
  return new EngineStore(port, await port.state(), options);
}

class EngineStore implements Store {
  readonly storeId: StoreId;
  readonly leases: Leases;
  readonly #port: StorePort;
  readonly #clock: Clock;
  readonly #bookmarkMs: number;
  readonly #tail: ChangeTail;
  readonly #groups: CommitGroups;
  readonly #closing = new AbortController();
  #compactedRevision: number;
  #closed: Promise<void> | undefined;

  constructor(port: StorePort, state: EngineState, options: StoreOptions) {
    this.storeId = parseStoreId(state.storeId);
    this.leases = createLeases(port, () => this.#assertOpen());
    this.#port = port;
    this.#clock = options.clock;
    this.#bookmarkMs = options.bookmarkMs ?? 60_000;
    this.#tail = new ChangeTail(state.revision, options.tailBytes ?? 8 * 1024 * 1024);
    this.#groups = new CommitGroups(port, (units, outcomes) => this.#follow(units, outcomes));
    this.#compactedRevision = state.compactedRevision;
  }

  get revision(): Revision {
    return toRevision(this.#tail.revision);
  }

  async commit(writes: readonly Write[], options: { readonly fence?: Fence } = {}): Promise<CommitOutcome> {
    this.#assertOpen();
    const outcome = await this.#groups.commit(toUnit(writes, options.fence));
    switch (outcome.kind) {
      case "committed": {
        const revisions = outcome.results.map((result) => toRevision(result.revision));
        const newest = Math.max(0, ...outcome.results.map((result) => result.revision));
        return { kind: "committed", revision: toRevision(newest), revisions };
      }
      case "conflict":
        return { kind: "conflict", writeIndex: outcome.writeIndex, actual: toRevision(outcome.actual) };
      case "fenced":
        return { kind: "fenced", epoch: BigInt(outcome.epoch) };
      case "failed":
        throw new FlotillaError(outcome.code, outcome.message, { ids: outcome.ids });
    }
  }

  async get<T extends TableSpec>(
    table: T,
    key: Key,
    options: { readonly atLeast?: Revision } = {},
  ): Promise<Row<T> | undefined> {
    this.#assertOpen();
    const joined = joinKey(table, key);
    await this.#reach(options.atLeast);
    const found = await this.#port.get(table.name, joined);
    return found === undefined ? undefined : toRow(table, found);
  }

  async list<T extends TableSpec>(table: T, options: ListOptions = {}): Promise<Page<T>> {
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
    yield* watchTable(source, { table, prefix: joinPrefix(table, options.prefix ?? []), from: from.revision, signal });
  }

  cursor(revision: Revision = this.revision): Cursor {
    return { storeId: this.storeId, revision };
  }

  async compact(options: CompactOptions): Promise<Revision> {
    this.#assertOpen();
    const olderThanMs = this.#clock.wallMs() - options.olderThanMs;
    for (let more = true; more && !this.#closing.signal.aborted; ) {
      const piece = await this.#port.compact({ olderThanMs, keepCount: options.keepCount, limit: pieceCount });
      this.#compactedRevision = piece.compactedRevision;
      more = piece.more;
    }
    return toRevision(this.#compactedRevision);
  }

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
    await this.#port.close();
  }

  #assertOpen(): void {
    if (this.#closing.signal.aborted) throw new FlotillaError("UNAVAILABLE", "the store is closed");
  }

  /** Waits until this process has seen `revision`; another replica may have written it (ST10). */
  async #reach(revision: Revision | undefined): Promise<void> {
    if (revision === undefined || revision <= this.#tail.revision) return;
    await this.#catchUp();
    if (revision > this.#tail.revision) {
      throw new FlotillaError(
        "REVISION_AHEAD",
        `revision ${revision} has not reached this hub, which is at ${this.#tail.revision}; try again`,
      );
    }
  }

  /** Puts what a group changed on the tail. Revisions that another writer took in between are read from the log first. */
  async #follow(units: readonly EngineUnit[], outcomes: readonly UnitOutcome[]): Promise<void> {
    const changes = toChanges(units, outcomes);
    const first = changes[0];
    if (first === undefined) return;
    if (first.revision === this.#tail.revision + 1 && changes.at(-1)?.revision === this.#tail.revision + changes.length)
      this.#tail.append(changes);
    else await this.#catchUp();
  }

  async #catchUp(): Promise<void> {
    for (let behind = true; behind; ) {
      const { changes, headRevision } = await this.#port.changes({
        after: this.#tail.revision,
        limit: pieceCount,
        bytesLimit: pageBytes,
      });
      this.#tail.append(changes.filter((change) => change.revision > this.#tail.revision));
      behind = this.#tail.revision < headRevision;
    }
  }
}

function toUnit(writes: readonly Write[], fence: Fence | undefined): EngineUnit {
  const seen = new Set<string>();
  const encoded = writes.map(({ table, key, value, expect }) => {
    const joined = joinKey(table, key);
    const place = `${table.name}\u001f${joined}`;
    if (seen.has(place))
      throw new FlotillaError("INVALID_ARGUMENT", `one commit writes the same row of ${table.name} twice`);
    seen.add(place);
    const body = value === null ? null : encodeValue(table, value);
    return { table: table.name, key: joined, body, expect: typeof expect === "bigint" ? Number(expect) : expect };
  });
  return {
    writes: encoded,
    ...(fence === undefined ? {} : { fence: { lease: fence.lease, epoch: Number(fence.epoch) } }),
  };
}

function toAfter(table: TableSpec, prefix: string, after: Key): string {
  const joined = joinKey(table, after);
  if (isUnder(prefix, joined)) return joined;
  throw new FlotillaError("INVALID_ARGUMENT", `a page of ${table.name} cannot start behind a key outside its prefix`);
}

function toChanges(units: readonly EngineUnit[], outcomes: readonly UnitOutcome[]): readonly EngineChange[] {
  return units.flatMap((unit, unitIndex) => {
    const outcome = outcomes[unitIndex];
    if (outcome?.kind !== "committed") return [];
    return unit.writes.flatMap(({ table, key, body }, writeIndex) => {
      const result = outcome.results[writeIndex];
      if (result?.changed !== true) return [];
      const { revision, previousRevision, removed } = result;
      return [
        { revision, table, key, isDelete: body === null, previousRevision, body: body ?? removed ?? new Uint8Array() },
      ];
    });
  });
}

function toRow<T extends TableSpec>(table: T, row: EngineRow): Row<T> {
  return { key: splitKey(row.key), revision: toRevision(row.revision), value: decodeValue(table, row.body) };
}

function createLeases(port: StorePort, assertOpen: () => void): Leases {
  return {
    async acquire(name, holder, ttlMs): Promise<LeaseOutcome> {
      assertOpen();
      const reply = await port.acquireLease(name, holder, ttlMs);
      return reply.kind === "held" ? { ...reply, epoch: BigInt(reply.epoch) } : reply;
    },
    async release(name, holder) {
      assertOpen();
      return port.releaseLease(name, holder);
    },
  };
}
