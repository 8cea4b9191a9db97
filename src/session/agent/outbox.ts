// SPDX-License-Identifier: Apache-2.0
// The changes to send and the flushes in flight (SE13 to SE17, SE20). One per process; it outlives sessions.
import { assert } from "../../base/assert.ts";
import { isRbacResource } from "../../model/rbac-resources.ts";
import type { KindRows } from "./kind-rows.ts";
import type { RowListener, RowTable, SentRow } from "./row-table.ts";
import { WaitingKeys } from "./waiting-keys.ts";

/** Most flushes in flight: six a second if acknowledgements take ten seconds. Bounds the memory for small flushes. */
export const maxFlightCount = 64;

/** What the hub holds of one key after a flush. */
export interface FlushEntry {
  readonly slot: number;
  readonly sent: SentRow | undefined;
}

interface Flight {
  readonly seq: number;
  readonly byteCount: number;
  readonly sinceMs: number;
  readonly slots: readonly number[];
  /** The sent row of each slot before this flush: what the hub holds if the flush is lost. */
  readonly before: readonly (SentRow | undefined)[];
}

/**
 * What a Welcome means for earlier flushes. `resumed`: the hub holds what counts as sent. `unsure`: only the kinds'
 * digests can show it (SE25).
 */
export type ResumeOutcome = "resumed" | "unsure";

/**
 * Keys that wait, at most one entry per key. A newer change replaces the older one and keeps its position, so the queue
 * is bounded by the number of objects (L13). Flushes in flight are remembered by key, never as bytes (SE15).
 */
export class Outbox implements RowListener {
  readonly #table: RowTable;
  readonly #nowMs: () => number;
  readonly #waiting = new WaitingKeys();
  readonly #requested = new Map<KindRows, Set<number>>();
  readonly #completed = new Set<KindRows>();
  readonly #flights: Flight[] = [];
  #lastSeq = 0;
  #ackedSeq = 0;
  #unackedBytes = 0;
  #changeCount = 0;
  /**
   * The newest flush of another process in a Welcome. Cleared when this process sends, because numbers of an
   * incarnation can recur.
   */
  #overtaker = "";
  /** A flush that replaces buckets is planned and not sent yet. */
  #isReplacing = false;
  #onChange: () => void = () => undefined;
  /** Most bytes of unacknowledged flushes (SE20). 0 without a session. */
  creditBytes = 0;

  constructor(table: RowTable, nowMs: () => number) {
    this.#table = table;
    this.#nowMs = nowMs;
    for (const kind of table.kinds) if (kind.isComplete) this.#completed.add(kind);
    table.listen(this);
  }

  /** Called when a key begins to wait, and when a kind becomes complete. */
  set onChange(callback: () => void) {
    this.#onChange = callback;
  }

  /** Number of the newest flush sent; 0 before the first. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Bytes of unacknowledged flushes. */
  get unackedBytes(): number {
    return this.#unackedBytes;
  }

  get flightCount(): number {
    return this.#flights.length;
  }

  /** Number of waiting keys. Keys of requested buckets are not counted: they may all be equal. */
  get waitingCount(): number {
    return this.#waiting.count;
  }

  get hasWaiting(): boolean {
    return this.#waiting.byKind.size > 0 || this.#requested.size > 0;
  }

  /** Whether changes of the RBAC kinds wait. */
  get hasWaitingGrants(): boolean {
    for (const { resource } of this.#waiting.byKind.keys()) if (isRbacResource(resource)) return true;
    return false;
  }

  /** Requested buckets are not sent yet. The hub knows that they differ, so a root digest would add nothing (SE27). */
  get isRepairing(): boolean {
    return this.#requested.size > 0 || this.#isReplacing;
  }

  /** Time of the oldest waiting change; undefined without one. */
  get oldestWaitingSinceMs(): number | undefined {
    return this.#waiting.oldestSinceMs;
  }

  /** Time of the oldest change that the hub has not acknowledged, sent or not; undefined without one (HE4). */
  get oldestUnackedSinceMs(): number | undefined {
    let oldest = this.oldestWaitingSinceMs;
    for (const { sinceMs } of this.#flights) if (oldest === undefined || sinceMs < oldest) oldest = sinceMs;
    return oldest;
  }

  /** The waiting keys, by kind, oldest first. */
  get waiting(): ReadonlyMap<KindRows, ReadonlyMap<number, number>> {
    return this.#waiting.byKind;
  }

  /** The buckets that the hub requested, by kind. */
  get requestedBuckets(): ReadonlyMap<KindRows, ReadonlySet<number>> {
    return this.#requested;
  }

  /** Whether a flush of this size may be sent now. One larger than the credit is sent alone (SE20). */
  canSend(byteCount: number): boolean {
    if (this.creditBytes === 0 || this.#flights.length >= maxFlightCount) return false;
    return this.#flights.length === 0 || this.#unackedBytes + byteCount <= this.creditBytes;
  }

  /** Total number of changes; several changes of one key each count. */
  get changeCount(): number {
    return this.#changeCount;
  }

  /** Whether a kind became complete since the last `takeCompleted`. */
  get hasCompleted(): boolean {
    return this.#completed.size > 0;
  }

  /** Kinds that became complete since the last call. */
  takeCompleted(): readonly KindRows[] {
    const kinds = [...this.#completed];
    this.#completed.clear();
    return kinds;
  }

  rowChanged(kind: KindRows, slot: number): void {
    this.#changeCount += 1;
    if (this.#wait(kind, slot)) this.#onChange();
  }

  kindCompleted(kind: KindRows): void {
    this.#completed.add(kind);
    this.#onChange();
  }

  /** The hub holds no rows of the kind: all its rows wait (SE25). */
  requestAll(kind: KindRows): void {
    this.#requested.delete(kind);
    for (const slot of this.#table.slotsOf(kind)) {
      this.#waiting.delete(kind, slot);
      this.#table.setSent(slot, undefined);
    }
    // One shared value: a separate number for each of 50,000 keys would take a megabyte.
    const sinceMs = this.#nowMs();
    for (const slot of this.#table.inReadingOrder(this.#table.slotsOf(kind))) this.#wait(kind, slot, sinceMs);
  }

  /** The hub requests replacement of these buckets (SE26). */
  requestBuckets(kind: KindRows, buckets: readonly number[]): void {
    const asked = this.#requested.get(kind) ?? new Set();
    for (const bucket of buckets) asked.add(bucket);
    if (asked.size > 0) this.#requested.set(kind, asked);
  }

  /** These keys and buckets go into a flush that is being built: they stop waiting, and their slots are kept. */
  takeUp(entries: readonly FlushEntry[], buckets: ReadonlyMap<KindRows, readonly number[]>): void {
    for (const { slot } of entries) {
      this.#table.pin(slot);
      this.#waiting.delete(this.#table.kindOf(slot), slot);
    }
    this.#isReplacing = buckets.size > 0;
    for (const [kind, replaced] of buckets) {
      const asked = this.#requested.get(kind);
      for (const bucket of replaced) asked?.delete(bucket);
      if (asked?.size === 0) this.#requested.delete(kind);
    }
  }

  /**
   * The flush being built is not sent: its keys wait again, from the time of its oldest change. The hub requests
   * buckets again (SE25).
   */
  putBack(entries: readonly FlushEntry[], sinceMs: number): void {
    this.#isReplacing = false;
    for (const { slot } of entries) {
      this.#wait(this.#table.kindOf(slot), slot, sinceMs);
      this.#table.unpin(slot);
    }
  }

  /** Records a flush as sent and returns its number. `sinceMs` is the time of its oldest change. */
  send(entries: readonly FlushEntry[], byteCount: number, sinceMs: number): number {
    assert(this.canSend(byteCount), "a flush is sent only within the credit");
    const before = entries.map(({ slot }) => this.#table.sent(slot));
    for (const { slot, sent } of entries) {
      this.#table.setSent(slot, sent);
      // It may have changed while the flush was built.
      if (this.#table.isChanged(slot)) this.#wait(this.#table.kindOf(slot), slot);
      else this.#waiting.delete(this.#table.kindOf(slot), slot);
    }
    this.#isReplacing = false;
    this.#overtaker = "";
    this.#lastSeq += 1;
    this.#unackedBytes += byteCount;
    this.#flights.push({ seq: this.#lastSeq, byteCount, sinceMs, slots: entries.map(({ slot }) => slot), before });
    return this.#lastSeq;
  }

  /**
   * Flushes up to `seq` are durable; tombstones are freed (SE14). False for a number that was never sent: a fault of
   * the hub.
   */
  acknowledge(seq: number): boolean {
    if (seq > this.#lastSeq) return false;
    this.#ackedSeq = Math.max(this.#ackedSeq, seq);
    for (let flight = this.#flights[0]; flight !== undefined && flight.seq <= seq; flight = this.#flights[0]) {
      this.#flights.shift();
      this.#unackedBytes -= flight.byteCount;
      for (const slot of flight.slots) this.#table.unpin(slot);
    }
    return true;
  }

  /**
   * Whether another process has written to the hub since the last Welcome: then lists from before now may be older than
   * the hub's rows (SE36). True once per such write. `durable` is from Welcome, `own` is this process's incarnation.
   */
  isOvertaken(durable: { readonly incarnation: string; readonly seq: number }, own: string): boolean {
    if (durable.incarnation === "" || durable.incarnation === own) return false;
    const overtaker = `${durable.incarnation} ${durable.seq}`;
    const isNews = overtaker !== this.#overtaker;
    this.#overtaker = overtaker;
    return isNews;
  }

  /**
   * Begins a session. `durableSeq` is undefined if the hub has no flush of this incarnation. Lost changes wait again,
   * with their current rows and the numbers that follow (SE15).
   */
  resume(durableSeq: number | undefined): ResumeOutcome {
    this.#requested.clear();
    if (durableSeq !== undefined && durableSeq >= this.#ackedSeq && durableSeq <= this.#lastSeq) {
      this.acknowledge(durableSeq);
      this.#rollBack();
      this.#lastSeq = durableSeq;
      return "resumed";
    }
    this.#restart();
    this.#lastSeq = durableSeq ?? 0;
    this.#ackedSeq = this.#lastSeq;
    return "unsure";
  }

  /** No earlier flush is known to have arrived: all complete kinds are claimed again (SE25). */
  #restart(): void {
    for (const flight of this.#flights.splice(0)) for (const slot of flight.slots) this.#table.unpin(slot);
    this.#waiting.clear();
    this.#requested.clear();
    this.#completed.clear();
    this.#unackedBytes = 0;
    for (const kind of this.#table.kinds) {
      if (!kind.isComplete) continue;
      this.#table.claim(kind);
      this.#completed.add(kind);
    }
  }

  /** Newest first, so that the sent state ends as it was before the oldest lost flush. */
  #rollBack(): void {
    for (const flight of this.#flights.splice(0).reverse()) {
      for (const [at, slot] of flight.slots.entries()) this.#table.setSent(slot, flight.before[at]);
      for (const slot of flight.slots) {
        this.#wait(this.#table.kindOf(slot), slot, flight.sinceMs);
        this.#table.unpin(slot);
      }
    }
    this.#unackedBytes = 0;
  }

  /** A key waits while its row differs from the sent one. True if it did not wait before. */
  #wait(kind: KindRows, slot: number, sinceMs = this.#nowMs()): boolean {
    if (!this.#table.isChanged(slot)) {
      this.#waiting.delete(kind, slot);
      return false;
    }
    return this.#waiting.add(kind, slot, sinceMs);
  }
}
