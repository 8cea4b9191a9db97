// SPDX-License-Identifier: Apache-2.0
// What is to be sent and what is under way (SE13 to SE17, SE20). It outlives sessions: one for each process.
import { assert } from "../../base/assert.ts";
import type { KindRows } from "./kind-rows.ts";
import type { RowListener, RowTable, SentRow } from "./row-table.ts";

/** Flushes under way at the most: with acknowledgements ten seconds late, six a second. It bounds what small flushes cost to remember. */
export const maxFlightCount = 64;

/** What one flush makes of one key at the hub. */
export interface FlushEntry {
  readonly slot: number;
  readonly sent: SentRow | undefined;
}

interface Flight {
  readonly seq: number;
  readonly byteCount: number;
  readonly sinceMs: number;
  readonly slots: readonly number[];
  /** What counted as sent before, for each slot: what the hub holds if this flush is lost. */
  readonly before: readonly (SentRow | undefined)[];
}

/** What a Welcome means for what was sent. `resumed`: the hub holds what counts as sent. `unsure`: only the kinds' digests can tell (SE25). */
export type ResumeOutcome = "resumed" | "unsure";

/**
 * Keys that wait, at most one entry per key: a newer change takes the older one's place and keeps its position, so what waits
 * is bounded by the number of objects (L13). Flushes under way are remembered by key, never as bytes (SE15).
 */
export class Outbox implements RowListener {
  readonly #table: RowTable;
  readonly #nowMs: () => number;
  /** By kind, oldest kind first: slots with the time their oldest unsent change came. */
  readonly #waiting = new Map<KindRows, Map<number, number>>();
  readonly #asked = new Map<KindRows, Set<number>>();
  readonly #completed = new Set<KindRows>();
  readonly #flights: Flight[] = [];
  #lastSeq = 0;
  #ackedSeq = 0;
  #unackedBytes = 0;
  #changeCount = 0;
  /** The newest flush of another process that a Welcome told of, until one of ours goes out: numbers of an incarnation can come again. */
  #overtaker = "";
  /** A flush that replaces buckets is being made. */
  #isReplacing = false;
  #onChange: () => void = () => undefined;
  /** Bytes of flushes that may be under way (SE20). 0 without a session. */
  creditBytes = 0;

  constructor(table: RowTable, nowMs: () => number) {
    this.#table = table;
    this.#nowMs = nowMs;
    for (const kind of table.kinds) if (kind.isComplete) this.#completed.add(kind);
    table.listen(this);
  }

  /** Called when something waits that did not, and when a kind has become complete. */
  set onChange(callback: () => void) {
    this.#onChange = callback;
  }

  /** Number of the newest flush sent, 0 before the first. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Bytes of flushes that are not acknowledged. */
  get unackedBytes(): number {
    return this.#unackedBytes;
  }

  get flightCount(): number {
    return this.#flights.length;
  }

  /** Keys that wait; those of asked buckets are not counted, for they may all be equal. */
  get waitingCount(): number {
    let count = 0;
    for (const slots of this.#waiting.values()) count += slots.size;
    return count;
  }

  get hasWaiting(): boolean {
    return this.#waiting.size > 0 || this.#asked.size > 0;
  }

  /** Buckets are asked for and not sent: the hub knows that they differ, and a root digest would only say so again (SE27). */
  get isMending(): boolean {
    return this.#asked.size > 0 || this.#isReplacing;
  }

  /** Since when the oldest waiting change waits; undefined when none does. */
  get oldestWaitingSinceMs(): number | undefined {
    let oldest: number | undefined;
    for (const slots of this.#waiting.values())
      for (const sinceMs of slots.values()) if (oldest === undefined || sinceMs < oldest) oldest = sinceMs;
    return oldest;
  }

  /** Since when the oldest change that the hub has not said to be durable is on its way, sent or not; undefined when there is none (HE4). */
  get oldestUnackedSinceMs(): number | undefined {
    let oldest = this.oldestWaitingSinceMs;
    for (const { sinceMs } of this.#flights) if (oldest === undefined || sinceMs < oldest) oldest = sinceMs;
    return oldest;
  }

  /** The keys that wait, by kind, oldest first. */
  get waiting(): ReadonlyMap<KindRows, ReadonlyMap<number, number>> {
    return this.#waiting;
  }

  /** The buckets that the hub asked for, by kind. */
  get askedBuckets(): ReadonlyMap<KindRows, ReadonlySet<number>> {
    return this.#asked;
  }

  /** Whether a flush of this size may go now. One that is larger than the credit goes alone (SE20). */
  canSend(byteCount: number): boolean {
    if (this.creditBytes === 0 || this.#flights.length >= maxFlightCount) return false;
    return this.#flights.length === 0 || this.#unackedBytes + byteCount <= this.creditBytes;
  }

  /** Changes since the beginning, each counted, however many of one key. */
  get changeCount(): number {
    return this.#changeCount;
  }

  /** Whether a kind has become complete that `takeCompleted` has not told of. */
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

  /** The hub holds nothing of the kind: all its rows wait (SE25). */
  askAll(kind: KindRows): void {
    this.#asked.delete(kind);
    for (const slot of this.#table.slotsOf(kind)) {
      this.#stopWaiting(kind, slot);
      this.#table.setSent(slot, undefined);
    }
    // One value for all: a number of its own for each of 50,000 keys would take a megabyte.
    const sinceMs = this.#nowMs();
    for (const slot of this.#table.inReadingOrder(this.#table.slotsOf(kind))) this.#wait(kind, slot, sinceMs);
  }

  /** The hub wants these buckets replaced (SE26). */
  askBuckets(kind: KindRows, buckets: readonly number[]): void {
    const asked = this.#asked.get(kind) ?? new Set();
    for (const bucket of buckets) asked.add(bucket);
    if (asked.size > 0) this.#asked.set(kind, asked);
  }

  /** These keys and buckets are in a flush that is being made: they do not wait any more, and keep their slots. */
  takeUp(entries: readonly FlushEntry[], buckets: ReadonlyMap<KindRows, readonly number[]>): void {
    for (const { slot } of entries) {
      this.#table.pin(slot);
      this.#stopWaiting(this.#table.kindOf(slot), slot);
    }
    this.#isReplacing = buckets.size > 0;
    for (const [kind, replaced] of buckets) {
      const asked = this.#asked.get(kind);
      for (const bucket of replaced) asked?.delete(bucket);
      if (asked?.size === 0) this.#asked.delete(kind);
    }
  }

  /** The flush that was being made is not sent: its keys wait again, since the time of its oldest change. Buckets are asked for anew (SE25). */
  putBack(entries: readonly FlushEntry[], sinceMs: number): void {
    this.#isReplacing = false;
    for (const { slot } of entries) {
      this.#wait(this.#table.kindOf(slot), slot, sinceMs);
      this.#table.unpin(slot);
    }
  }

  /** The flush goes out now, under the next number, which is answered. `sinceMs` is the time of its oldest change. */
  send(entries: readonly FlushEntry[], byteCount: number, sinceMs: number): number {
    assert(this.canSend(byteCount), "a flush is sent only within the credit");
    const before = entries.map(({ slot }) => this.#table.sent(slot));
    for (const { slot, sent } of entries) {
      this.#table.setSent(slot, sent);
      // It may have changed while the flush was made.
      if (this.#table.isChanged(slot)) this.#wait(this.#table.kindOf(slot), slot);
      else this.#stopWaiting(this.#table.kindOf(slot), slot);
    }
    this.#isReplacing = false;
    this.#overtaker = "";
    this.#lastSeq += 1;
    this.#unackedBytes += byteCount;
    this.#flights.push({ seq: this.#lastSeq, byteCount, sinceMs, slots: entries.map(({ slot }) => slot), before });
    return this.#lastSeq;
  }

  /** Durable up to `seq`: tombstones go (SE14). False for a number that was never sent: the hub is at fault. */
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
   * Whether another process than this one has written to the hub since the last Welcome: then lists from before this moment may be older than what
   * the hub holds (SE36). Said once while nothing else is written. `durable` is what Welcome says, `own` this process's incarnation.
   */
  isOvertaken(durable: { readonly incarnation: string; readonly seq: number }, own: string): boolean {
    if (durable.incarnation === "" || durable.incarnation === own) return false;
    const overtaker = `${durable.incarnation} ${durable.seq}`;
    const isNews = overtaker !== this.#overtaker;
    this.#overtaker = overtaker;
    return isNews;
  }

  /**
   * A session begins. `durableSeq` is undefined when the hub has nothing of this incarnation. What was lost waits again,
   * in its present state, under the numbers that follow (SE15).
   */
  resume(durableSeq: number | undefined): ResumeOutcome {
    this.#asked.clear();
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

  /** Nothing of what was sent is known to be there: all complete kinds are claimed anew (SE25). */
  #restart(): void {
    for (const flight of this.#flights.splice(0)) for (const slot of flight.slots) this.#table.unpin(slot);
    this.#waiting.clear();
    this.#asked.clear();
    this.#completed.clear();
    this.#unackedBytes = 0;
    for (const kind of this.#table.kinds) {
      if (!kind.isComplete) continue;
      this.#table.claim(kind);
      this.#completed.add(kind);
    }
  }

  /** Newest first, so that what counts as sent ends as it was before the oldest lost flush. */
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

  /** A key waits while its row is not what was sent. True when it did not wait before. */
  #wait(kind: KindRows, slot: number, sinceMs = this.#nowMs()): boolean {
    if (!this.#table.isChanged(slot)) {
      this.#stopWaiting(kind, slot);
      return false;
    }
    const slots = this.#waiting.get(kind) ?? new Map<number, number>();
    const knownMs = slots.get(slot);
    slots.set(slot, knownMs !== undefined && knownMs < sinceMs ? knownMs : sinceMs);
    this.#waiting.set(kind, slots);
    return knownMs === undefined;
  }

  #stopWaiting(kind: KindRows, slot: number): void {
    const slots = this.#waiting.get(kind);
    slots?.delete(slot);
    if (slots?.size === 0) this.#waiting.delete(kind);
  }
}
