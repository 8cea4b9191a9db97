// SPDX-License-Identifier: Apache-2.0
// The availability strip: one code per half hour of the last 24 hours, the worst state within it (docs/spec/page.md).
// Uses the hub's wall clock, so that a strip continues across restarts.
import { StripCode } from "../../gen/flotilla/page/v1/page_pb.ts";

/** The length of one cell. */
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

/** The code of a state; UNSPECIFIED for a state of another release. A greater code is a worse state. */
export function stripCodeOf(state: string): StripCode {
  return codes.get(state) ?? StripCode.UNSPECIFIED;
}

/** The cell number of a time. */
export function cellOf(atMs: number): number {
  return Math.floor(atMs / cellMs);
}

/** The fields of a transition that a strip uses. */
export interface StripRecord {
  readonly atMs: number;
  readonly from: string;
  readonly to: string;
}

/** A cluster's history before this run of the hub. */
export interface StripPast {
  /** In order of time. Older ones than 24 hours give the state at the start of the strip. */
  readonly records: readonly StripRecord[];
  readonly watched: WatchedTime;
  readonly registeredMs: number;
  /** When this run of the hub began; later records are ignored. */
  readonly untilMs: number;
}

/** When a hub ran: one time per half hour of each run. A cell without one stays unspecified. */
export interface WatchedTime {
  /** In order of time. */
  readonly momentsMs: readonly number[];
  /** The first time of each run. */
  readonly beganMs: readonly number[];
}

/**
 * A starting hub shows every cluster seen before as disconnected until its agent connects. Only after this time is that
 * a fact about the cluster: agents wait at most 30 s between attempts, and a hub admits 1,000 agents within 20 s.
 */
export const restartDoubtMs = 60_000;

/** One cluster's strip. Each record only worsens or adds cells, so past records can be added at any time. */
export class Strip {
  /** By cell number; cells older than 24 hours are dropped. */
  readonly #worst = new Map<number, StripCode>();
  #held: StripCode;
  #heldSinceMs: number;
  /** True while the held state only follows from a hub's start; it counts after `restartDoubtMs`. */
  #isTentative: boolean;
  #drawn: { readonly cell: number; readonly bytes: Uint8Array } | undefined;

  /** The cluster has been in this state since `sinceMs`, when a hub started or the cluster was registered. */
  constructor(state: string, sinceMs: number) {
    this.#held = stripCodeOf(state);
    this.#heldSinceMs = sinceMs;
    this.#isTentative = this.#held === StripCode.DISCONNECTED;
  }

  /** Applies a transition. */
  note({ atMs, from, to }: StripRecord): void {
    this.#hold(atMs);
    if (!this.#isTentative) this.#mark(atMs, atMs, stripCodeOf(from));
    this.#isTentative = false;
    this.#heldSinceMs = Math.max(this.#heldSinceMs, atMs);
    this.#held = stripCodeOf(to);
    this.#mark(atMs, atMs, this.#held);
  }

  /** Adds stored history; can be called at any time. */
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

  /**
   * The codes of the last 24 hours, oldest first; the last is the current half hour. Returns the same array while
   * nothing changes.
   */
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
   * Applies a start of the hub. The previous state counts until the end of the half hour in which the previous run last
   * recorded itself. A cluster seen before is disconnected from then on, which counts only after `restartDoubtMs`.
   */
  #restart(beganMs: number, { momentsMs }: WatchedTime): void {
    const lastMs = momentsMs.findLast((momentMs) => momentMs < beganMs);
    if (lastMs !== undefined) this.#hold(Math.min(beganMs, (cellOf(lastMs) + 1) * cellMs - 1));
    this.#heldSinceMs = Math.max(this.#heldSinceMs, beganMs);
    if (this.#held === StripCode.UNSPECIFIED || this.#held === StripCode.NEVER_SEEN) return;
    this.#held = StripCode.DISCONNECTED;
    this.#isTentative = true;
  }

  /** Extends the held state to `untilMs`. Ignored if the wall clock was set back. */
  #hold(untilMs: number): void {
    if (untilMs < this.#heldSinceMs || (this.#isTentative && untilMs - this.#heldSinceMs < restartDoubtMs)) return;
    this.#isTentative = false;
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
