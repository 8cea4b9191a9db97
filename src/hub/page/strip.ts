// SPDX-License-Identifier: Apache-2.0
// The availability strip: one code for each half hour of the last 24, the worst state of that half hour (docs/spec/page.md). Times are of the
// hub's wall clock, so that a strip goes on across restarts.
import { StripCode } from "../../gen/flotilla/page/v1/page_pb.ts";

/** One cell. */
export const cellMs = 30 * 60_000;

/** 24 hours. */
export const cellCount = 48;

const codes: ReadonlyMap<string, StripCode> = new Map([
  ["neverSeen", StripCode.NEVER_SEEN],
  ["live", StripCode.LIVE],
  ["catchingUp", StripCode.CATCHING_UP],
  ["stale", StripCode.STALE],
  ["disconnected", StripCode.DISCONNECTED],
  ["rejected", StripCode.REJECTED],
]);

/** The code of a state; a word of another release is not known, and drawn so. The greater code is the worse state. */
export function stripCodeOf(state: string): StripCode {
  return codes.get(state) ?? StripCode.UNSPECIFIED;
}

/** Which half hour a moment is in. */
export function cellOf(atMs: number): number {
  return Math.floor(atMs / cellMs);
}

/** A change of state, as far as a strip looks at it. */
export interface StripRecord {
  readonly atMs: number;
  readonly from: string;
  readonly to: string;
}

/** What is known of a cluster from before this run of the hub. */
export interface StripPast {
  /** In order of time. Those from before the 24 hours tell what it was when they began. */
  readonly records: readonly StripRecord[];
  readonly watched: WatchedTime;
  readonly registeredMs: number;
  /** When this run of the hub began: what came later is not of the past. */
  readonly untilMs: number;
}

/** When a hub ran: a moment of each half hour of each run. Where there is none nobody looked, and the cell says so. */
export interface WatchedTime {
  /** In order of time. */
  readonly momentsMs: readonly number[];
  /** The first one of each run. */
  readonly beganMs: readonly number[];
}

/**
 * A hub that begins shows every cluster that was ever seen as disconnected until its agent comes. Not before this time is that a fact about the cluster: an
 * agent waits at most 30 s between two attempts, and a hub lets 1,000 of them in within 20 s.
 */
export const restartDoubtMs = 60_000;

/** One cluster's strip. Every moment that it is told only makes cells worse or adds new ones, so the order of telling does not matter. */
export class Strip {
  /** By cell number; older ones than the last 24 hours are dropped. */
  readonly #worst = new Map<number, StripCode>();
  #held: StripCode;
  #heldSinceMs: number;
  /** The held state is only that a hub began; it counts once it lasted. */
  #isDoubted: boolean;
  #drawn: { readonly cell: number; readonly bytes: Uint8Array } | undefined;

  /** From this moment on, at which a hub began or the cluster came, it has been in this state. */
  constructor(state: string, sinceMs: number) {
    this.#held = stripCodeOf(state);
    this.#heldSinceMs = sinceMs;
    this.#isDoubted = this.#held === StripCode.DISCONNECTED;
  }

  /** The cluster changed. */
  note({ atMs, from, to }: StripRecord): void {
    this.#hold(atMs);
    if (!this.#isDoubted) this.#mark(atMs, atMs, stripCodeOf(from));
    this.#isDoubted = false;
    this.#heldSinceMs = Math.max(this.#heldSinceMs, atMs);
    this.#held = stripCodeOf(to);
    this.#mark(atMs, atMs, this.#held);
  }

  /** Takes in what was before; may come at any time. */
  addPast({ records, watched, registeredMs, untilMs }: StripPast): void {
    const past = new Strip(records[0]?.from ?? "", registeredMs);
    const starts = [...watched.beganMs.filter((beganMs) => beganMs < untilMs), untilMs];
    let started = 0;
    for (const record of records) {
      if (record.atMs >= untilMs) break;
      for (; (starts[started] ?? untilMs) <= record.atMs; started += 1) past.#restart(starts[started] ?? 0, watched);
      past.note(record);
    }
    for (const beganMs of starts.slice(started)) past.#restart(beganMs, watched);
    const cells = new Set(watched.momentsMs.map(cellOf));
    for (const [cell, code] of past.#worst) if (cells.has(cell)) this.#worsen(cell, code);
  }

  /** The codes of the last 24 hours, the oldest first; the last one is of the half hour that runs. The same array as long as nothing changed. */
  toBytes(nowMs: number): Uint8Array {
    this.#hold(nowMs);
    const cell = cellOf(nowMs);
    if (this.#drawn?.cell === cell) return this.#drawn.bytes;
    const first = cell - cellCount + 1;
    for (const old of this.#worst.keys()) if (old < first) this.#worst.delete(old);
    const bytes = Uint8Array.from(
      { length: cellCount },
      (_, at) => this.#worst.get(first + at) ?? StripCode.UNSPECIFIED,
    );
    this.#drawn = { cell, bytes };
    return bytes;
  }

  /**
   * A hub began. What was shown before counts for as long as the run before looked, and of a cluster that was seen nothing is known until its agent comes, or
   * does not come for too long.
   */
  #restart(beganMs: number, { momentsMs }: WatchedTime): void {
    const lastMs = momentsMs.findLast((momentMs) => momentMs < beganMs);
    if (lastMs !== undefined) this.#hold(Math.min(beganMs, (cellOf(lastMs) + 1) * cellMs - 1));
    this.#heldSinceMs = Math.max(this.#heldSinceMs, beganMs);
    if (this.#held === StripCode.UNSPECIFIED || this.#held === StripCode.NEVER_SEEN) return;
    this.#held = StripCode.DISCONNECTED;
    this.#isDoubted = true;
  }

  /** The held state lasted until now. A wall clock that was put back holds nothing. */
  #hold(untilMs: number): void {
    if (untilMs < this.#heldSinceMs || (this.#isDoubted && untilMs - this.#heldSinceMs < restartDoubtMs)) return;
    this.#isDoubted = false;
    this.#mark(this.#heldSinceMs, untilMs, this.#held);
    this.#heldSinceMs = untilMs;
  }

  #mark(fromMs: number, untilMs: number, code: StripCode): void {
    const last = cellOf(untilMs);
    for (let cell = Math.max(cellOf(fromMs), last - cellCount + 1); cell <= last; cell += 1) this.#worsen(cell, code);
  }

  #worsen(cell: number, code: StripCode): void {
    if (code <= (this.#worst.get(cell) ?? StripCode.UNSPECIFIED)) return;
    this.#worst.set(cell, code);
    this.#drawn = undefined;
  }
}
