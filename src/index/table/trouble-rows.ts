// SPDX-License-Identifier: Apache-2.0
import { statusRank } from "../../model/status.ts";

/** Unhealthy and degraded count as trouble. Worse statuses have lower ranks (PG24). */
const lastTroubleRank = statusRank("degraded");

/** The limit on rows of one kind with a stored time. Above it, the time of a further row is unknown. */
const maxCount = 10_000;

/** A time that is not set yet. */
const pending = -1;

/** Whether a status of this rank is trouble. */
export function isTroubleRank(rank: number): boolean {
  return rank <= lastTroubleRank;
}

/**
 * The times since when rows of one kind are in trouble: when the hub received the first row with the object's current
 * status (HE18, L20). A time is kept while the status stays the same, even if other fields change.
 */
export class TroubleRows {
  /** Milliseconds by row. Shared with copies of the table until the next change. */
  #times = new Map<number, number>();
  #isShared = false;
  /** Rows whose time is pending, or was. */
  #pending: number[] = [];

  share(): TroubleRows {
    const shared = new TroubleRows();
    shared.#times = this.#times;
    shared.#pending = [...this.#pending];
    shared.#isShared = true;
    this.#isShared = true;
    return shared;
  }

  /** Records the status of a new or changed row. `isSame`: it had this status before, as the same object. */
  note(row: number, rank: number, isSame: boolean): void {
    const isKnown = this.#times.has(row);
    if (!isTroubleRank(rank)) {
      if (isKnown) this.#own().delete(row);
      return;
    }
    if (isKnown ? isSame : this.#times.size >= maxCount) return;
    this.#own().set(row, pending);
    this.#pending.push(row);
  }

  /** Gives a new row the time that a row of another table has. */
  copy(row: number, of: TroubleRows, source: number): void {
    const time = of.get(source);
    if (time !== undefined && this.#times.size < maxCount) this.#own().set(row, time);
  }

  remove(row: number): void {
    if (this.#times.has(row)) this.#own().delete(row);
  }

  /** Gives a row another place, whose row was removed. */
  move(from: number, to: number): void {
    const time = this.#times.get(from);
    if (time === undefined) return;
    const times = this.#own();
    times.delete(from);
    times.set(to, time);
    if (time === pending) this.#pending.push(to);
  }

  /** Sets the receive time of all rows noted since the last call. */
  settle(receivedAtMs: number): void {
    if (this.#pending.length === 0) return;
    const times = this.#own();
    for (const row of this.#pending) if (times.get(row) === pending) times.set(row, receivedAtMs);
    this.#pending = [];
  }

  /** By the hub's wall clock; undefined if unknown. */
  get(row: number): number | undefined {
    const time = this.#times.get(row);
    return time === pending ? undefined : time;
  }

  /** The earliest time; undefined if none is known. */
  get oldestMs(): number | undefined {
    let oldest: number | undefined;
    for (const time of this.#times.values())
      if (time !== pending && (oldest === undefined || time < oldest)) oldest = time;
    return oldest;
  }

  #own(): Map<number, number> {
    if (this.#isShared) this.#times = new Map(this.#times);
    this.#isShared = false;
    return this.#times;
  }
}
