// SPDX-License-Identifier: Apache-2.0
import { hasCode } from "../../base/error.ts";
import { createTableTest, type TableTest } from "../scan/table-test.ts";
import { agesIn } from "./age-changes.ts";
import type { LoggedChanges } from "./live-log.ts";
import { isSameState, type LiveState } from "./live-page.ts";
import { LiveParts } from "./live-parts.ts";
import type { LiveFleet, LiveRequest } from "./live-request.ts";
import { PartReader, type TablesToRead } from "./part-reader.ts";
import type { ClusterSlots, TableSlot } from "./table-slots.ts";
import { runWholeQuery } from "./whole-query.ts";

/** `access`: only clusters in which the user's grants changed. They are few, so that a revocation is not late. */
export type RefreshScope = "all" | "access";

const defaultWholeAgeMs = 5_000;

/** Why parts are not kept: they are too large, or all views together keep too much. */
type UnkeptReason = "tooLarge" | "noRoom";

/** What a refresh looks at. No table is in both. */
interface LiveNews {
  readonly tables: TablesToRead;
  readonly changes: readonly LoggedChanges[];
}

/**
 * The answer of a live query, kept current. `refresh` applies the changes since the last one that are known row by row.
 * It reads the other tables that changed, and those of which the user sees another part. Every table counts as it was,
 * with the grants, at one moment.
 */
export class LiveResult {
  readonly #fleet: LiveFleet;
  readonly #request: LiveRequest;
  readonly #tableTest: TableTest;
  readonly #hasAges: boolean;
  /** Undefined before the first refresh, and if they are too large to be kept. */
  #parts: LiveParts | undefined;
  /** Why the whole query is run; undefined if parts are kept. */
  #whole: UnkeptReason | undefined;
  #keptBytes = 0;
  readonly #accessKeys = new Map<string, string | number>();
  /** By slot: 1 if rows of it could be selected at the last refresh. */
  #relevant = new Uint8Array(0);
  #generation = 0;
  #seenVersion = 0;
  #seenAccess = 0;
  /** The moment of the last refresh of all tables, and the latest moment of which any table is. */
  #seenMs = Number.NEGATIVE_INFINITY;
  #latestMs = Number.NEGATIVE_INFINITY;
  /** True while a refresh runs, and after one that did not end: its parts are of no moment. */
  #isTorn = false;
  #readTableCount = 0;
  #state: LiveState | undefined;

  constructor(fleet: LiveFleet, request: LiveRequest) {
    this.#fleet = fleet;
    this.#request = request;
    this.#tableTest = createTableTest(request.filter);
    this.#hasAges = agesIn(request.filter).length > 0;
  }

  /** Undefined before the first refresh. The same object while nothing changes and its rows are not released. */
  get state(): LiveState | undefined {
    return this.#state;
  }

  /** The number of tables that were read so far, without those of whole queries. */
  get readTableCount(): number {
    return this.#readTableCount;
  }

  /** True if the whole query is run at each refresh, because its parts cannot be kept. */
  get isWhole(): boolean {
    return this.#whole !== undefined;
  }

  /** True if the next refresh can apply the changes since the last one, and need not read all tables that changed. */
  get canFollow(): boolean {
    return this.#parts?.canStep === true && this.#seenVersion >= this.#fleet.slots.droppedVersion;
  }

  /** True if refreshes of the query can never apply changes, but read tables. */
  get readsTables(): boolean {
    return this.#parts?.canStep !== true;
  }

  /** The moment at which the answer changes by the age of rows alone; Infinity if it never does. */
  get nextAgeChangeMs(): number {
    if (!this.#hasAges) return Number.POSITIVE_INFINITY;
    return this.#parts?.nextAgeChangeMs ?? this.#wholeAgeAtMs;
  }

  /** When a query with ages is run again if it keeps no parts. */
  get #wholeAgeAtMs(): number {
    return this.#seenMs + (this.#fleet.wholeAgeMs ?? defaultWholeAgeMs);
  }

  /** Whether a refresh could change the answer. */
  isBehind(nowMs: number): boolean {
    const { generation, version } = this.#fleet.slots;
    if (this.#state === undefined || this.#isTorn || this.#generation !== generation) return true;
    if (this.#seenVersion < version) return true;
    return this.#hasAges && nowMs !== this.#seenMs && (nowMs < this.#latestMs || this.nextAgeChangeMs <= nowMs);
  }

  /**
   * Whether the user's grants differ from those of the answer in any cluster, also while a refresh runs and after one
   * that did not end. The answer must not be shown then.
   */
  hasOldAccess(): boolean {
    const { slots } = this.#fleet;
    if (this.#state === undefined || this.#isTorn || this.#generation !== slots.generation) return true;
    if (this.#seenAccess >= slots.accessVersion) return false;
    for (const { cluster, accessChangedAt } of slots.clusters()) {
      if (accessChangedAt <= this.#seenAccess) continue;
      if (this.#accessKeys.get(cluster) !== this.#request.accessKeyOf(cluster)) return true;
    }
    this.#seenAccess = slots.accessVersion;
    return false;
  }

  /** Brings the answer up to date, in slices of about 2 ms. Throws TOO_LARGE as the query itself does. */
  *refresh(nowMs: number, wanted: RefreshScope = "all"): Generator<void, void, undefined> {
    const { slots, budget } = this.#fleet;
    const canKeepAgain = this.#whole === "noRoom" && budget.hasRoom;
    if (this.#isTorn || canKeepAgain || this.#generation !== slots.generation) this.#restart();
    const isFirst = this.#seenVersion === 0;
    const isTimeBack = this.#hasAges && nowMs < this.#latestMs;
    const scope = this.isWhole || isFirst || isTimeBack ? "all" : wanted;
    const { version, accessVersion } = slots;
    this.#isTorn = true;
    const tables = this.#mustScan(nowMs, scope) ? this.#findTables(nowMs, scope) : new Map();
    const changes = scope === "all" ? this.#findChanges(tables) : [];
    if (tables.size > 0 || changes.length > 0 || isFirst) {
      const state = yield* this.#dropChangedKeys(this.#compute({ tables, changes }, nowMs));
      if (this.#state === undefined || !isSameState(this.#state, state)) this.#state = state;
    }
    if (scope === "all") {
      this.#seenVersion = version;
      this.#seenMs = nowMs;
    }
    this.#seenAccess = accessVersion;
    this.#latestMs = nowMs;
    this.#isTorn = false;
  }

  /** Releases the rows that were read with the state. They are in the tables, unless they have changed. */
  releaseRows(): void {
    if (this.#state?.rows === undefined) return;
    const { page, total, facets } = this.#state;
    this.#state = { page, total, facets };
  }

  /** Releases what it keeps. The last state stays. */
  close(): void {
    this.#restart();
    this.#release();
  }

  /**
   * Runs work. Grants that change between two slices, and perhaps back later, leave no key: tables were read with them,
   * and equal keys would hide that.
   */
  *#dropChangedKeys<Result>(work: Generator<void, Result, undefined>): Generator<void, Result, undefined> {
    let version = this.#fleet.accessVersion();
    for (;;) {
      const step = work.next();
      if (step.done === true) return step.value;
      yield;
      if (this.#fleet.accessVersion() === version) continue;
      version = this.#fleet.accessVersion();
      for (const [cluster, key] of this.#accessKeys)
        if (this.#request.accessKeyOf(cluster) !== key) this.#accessKeys.delete(cluster);
    }
  }

  #restart(): void {
    this.#parts = undefined;
    if (this.#whole === "noRoom") this.#whole = undefined;
    this.#relevant.fill(0);
    this.#accessKeys.clear();
    this.#generation = this.#fleet.slots.generation;
    this.#seenVersion = 0;
    this.#seenAccess = 0;
  }

  /** False if no table has to be read. Looking at all slots would cost more than a refresh. */
  #mustScan(nowMs: number, scope: RefreshScope): boolean {
    const { slots } = this.#fleet;
    const parts = this.#parts;
    if (parts?.canStep !== true || slots.accessVersion > this.#seenAccess) return true;
    if (scope === "all" && slots.unloggedVersion > this.#seenVersion) return true;
    return this.#hasAges && (nowMs < this.#latestMs || parts.nextAgeChangeMs <= nowMs);
  }

  /** The known changes of tables that are not read now and were not read since. */
  #findChanges(tables: TablesToRead): readonly LoggedChanges[] {
    if (this.#parts?.canStep !== true) return [];
    const [readNow, readVersions] = [numbersOf(tables), this.#parts.takeReadVersions()];
    return this.#fleet.slots.changesSince(this.#seenVersion).filter(({ slot, tableVersion }) => {
      if (this.#relevant[slot] !== 1 || readNow.has(slot)) return false;
      return tableVersion > (readVersions.get(slot) ?? -1);
    });
  }

  #findTables(nowMs: number, scope: RefreshScope): TablesToRead {
    const { slots, fleet } = this.#fleet;
    const found = new Map<ClusterSlots, readonly TableSlot[]>();
    if (this.#relevant.length < slots.count) this.#relevant = withLength(this.#relevant, slots.count + 16);
    const isTimeBack = this.#hasAges && nowMs < this.#latestMs;
    for (const cluster of slots.clusters()) {
      const isAll = this.#noteAccess(cluster) || isTimeBack;
      if (!isAll && scope === "access") continue;
      const fields = fleet.get(cluster.cluster)?.fields;
      const changed: TableSlot[] = [];
      for (const slot of cluster.slots.values()) {
        if (!isAll && !this.#isChanged(slot, nowMs)) continue;
        const isRelevant = fields !== undefined && this.#tableTest({ resource: slot.resource, fields }) !== false;
        if (this.#noteRelevant(slot, isRelevant)) changed.push(slot);
      }
      if (changed.length > 0) found.set(cluster, changed);
    }
    return found;
  }

  #isChanged(slot: TableSlot, nowMs: number): boolean {
    const { slots } = this.#fleet;
    const changedAt = this.#parts?.canStep === true ? slots.unloggedAt(slot) : slots.changedAt(slot);
    if (changedAt > this.#seenVersion) return true;
    if (!this.#hasAges || nowMs === this.#seenMs) return false;
    return this.#parts?.isAged(slot.number, nowMs) ?? nowMs >= this.#wholeAgeAtMs;
  }

  /** True if the user's grants in the cluster are others than at the last refresh. */
  #noteAccess({ cluster, accessChangedAt }: ClusterSlots): boolean {
    if (accessChangedAt <= this.#seenAccess) return false;
    const key = this.#request.accessKeyOf(cluster);
    if (this.#accessKeys.get(cluster) === key) return false;
    this.#accessKeys.set(cluster, key);
    return true;
  }

  /** True if rows of the slot count, or counted at the last refresh. */
  #noteRelevant({ number }: TableSlot, isRelevant: boolean): boolean {
    const wasRelevant = this.#relevant[number] === 1;
    this.#relevant[number] = isRelevant ? 1 : 0;
    return isRelevant || wasRelevant;
  }

  *#compute(news: LiveNews, nowMs: number): Generator<void, LiveState, undefined> {
    if (!this.isWhole) {
      const state = yield* this.#readParts(news, nowMs);
      if (typeof state !== "string") return state;
      this.#whole = state;
      this.#release();
    }
    return yield* runWholeQuery(this.#fleet, this.#request, nowMs);
  }

  /** Reads what is new, and returns the state or why the parts cannot be kept. */
  *#readParts({ tables, changes }: LiveNews, nowMs: number): Generator<void, LiveState | UnkeptReason, undefined> {
    const { slots, budget } = this.#fleet;
    const isFirst = this.#parts === undefined;
    const parts = this.#parts ?? new LiveParts(this.#request, this.#fleet.spareRows);
    this.#parts = parts;
    parts.reserve(slots.count);
    parts.pool.remove(numbersOf(tables));
    const options = { ...this.#fleet, request: this.#request, tableTest: this.#tableTest, parts, nowMs };
    const reader = new PartReader(options);
    try {
      const isFollowed = (yield* reader.follow(changes)) && (yield* reader.read(tables));
      const isRead = isFollowed && (!parts.pool.isShort || (yield* reader.refill()));
      if (isRead && this.#keep(parts.sizeBytes)) return parts.state();
      if (isRead && parts.sizeBytes <= budget.maxViewBytes) return "noRoom";
    } catch (reason) {
      if (!hasCode(reason, "TOO_LARGE")) throw reason;
    } finally {
      this.#readTableCount += reader.readCount;
    }
    if (isFirst || parts.partBytes > budget.maxViewBytes / 2) return "tooLarge";
    // Most of the bytes are those of values that no row has any more.
    this.#parts = undefined;
    const all = new Map(Array.from(slots.clusters(), (each) => [each, [...each.slots.values()]]));
    return yield* this.#readParts({ tables: all, changes: [] }, nowMs);
  }

  #keep(sizeBytes: number): boolean {
    const isKept = this.#fleet.budget.resize(this.#keptBytes, sizeBytes);
    this.#keptBytes = sizeBytes;
    return isKept;
  }

  #release(): void {
    this.#parts = undefined;
    this.#keep(0);
  }
}

function withLength(values: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const longer = new Uint8Array(length);
  longer.set(values);
  return longer;
}

function numbersOf(tables: TablesToRead): ReadonlySet<number> {
  const numbers = new Set<number>();
  for (const slots of tables.values()) for (const { number } of slots) numbers.add(number);
  return numbers;
}
