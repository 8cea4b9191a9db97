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
  /** The half hours in which a hub ran. In others nobody looked, and the cell says so. */
  readonly watchedCells: ReadonlySet<number>;
  readonly registeredMs: number;
  /** When this run of the hub began: what came later is not of the past. */
  readonly untilMs: number;
}

/** One cluster's strip. Every moment that it is told only makes cells worse or adds new ones, so the order of telling does not matter. */
export class Strip {
  /** By cell number; older ones than the last 24 hours are dropped. */
  readonly #worst = new Map<number, StripCode>();
  #held: StripCode;
  #heldSinceMs: number;

  /** From this moment on the cluster has been in this state. */
  constructor(state: string, sinceMs: number) {
    this.#held = stripCodeOf(state);
    this.#heldSinceMs = sinceMs;
  }

  /** The cluster changed. */
  note({ atMs, from, to }: StripRecord): void {
    this.#hold(atMs);
    this.#mark(atMs, atMs, stripCodeOf(from));
    this.#held = stripCodeOf(to);
    this.#mark(atMs, atMs, this.#held);
  }

  /** Takes in what was before; may come at any time. */
  addPast({ records, watchedCells, registeredMs, untilMs }: StripPast): void {
    const [first] = records;
    const worst = new Strip(first?.from ?? "", registeredMs);
    for (const record of records) if (record.atMs < untilMs) worst.note(record);
    worst.#hold(untilMs);
    for (const [cell, code] of worst.#worst) if (watchedCells.has(cell)) this.#worsen(cell, code);
  }

  /** The codes of the last 24 hours, the oldest first; the last one is of the half hour that runs. */
  toBytes(nowMs: number): Uint8Array {
    this.#hold(nowMs);
    const first = cellOf(nowMs) - cellCount + 1;
    for (const cell of this.#worst.keys()) if (cell < first) this.#worst.delete(cell);
    return Uint8Array.from({ length: cellCount }, (_, at) => this.#worst.get(first + at) ?? StripCode.UNSPECIFIED);
  }

  /** The held state lasted until now. A wall clock that was put back holds nothing. */
  #hold(untilMs: number): void {
    if (untilMs < this.#heldSinceMs) return;
    this.#mark(this.#heldSinceMs, untilMs, this.#held);
    this.#heldSinceMs = untilMs;
  }

  #mark(fromMs: number, untilMs: number, code: StripCode): void {
    const last = cellOf(untilMs);
    for (let cell = Math.max(cellOf(fromMs), last - cellCount + 1); cell <= last; cell += 1) this.#worsen(cell, code);
  }

  #worsen(cell: number, code: StripCode): void {
    if (code > (this.#worst.get(cell) ?? StripCode.UNSPECIFIED)) this.#worst.set(cell, code);
  }
}
