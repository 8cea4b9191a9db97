// SPDX-License-Identifier: Apache-2.0
// One budget of bytes for all ingest, divided among the sessions (SE21).

/** Bytes of flushes in the hub's memory that are not durable yet, all sessions together, unless set. */
export const defaultIngestBudgetBytes = 256 * 1024 * 1024;

/** A credit below this would cut every flush into a round trip of its own. */
const smallestShareBytes = 64 * 1024;

/**
 * Counts what has come and is not durable, and says what each session may send. The share is the budget over the number of
 * sessions, within bounds; it is 0 from when the budget is used up until half of it is free again, so that credit does not flicker. Shares are
 * told again only when they change by a factor of two.
 */
export class CreditBudget {
  readonly #budgetBytes: number;
  readonly #maxShareBytes: number;
  #usedBytes = 0;
  #sessionCount = 0;
  #shareBytes: number;
  #isUsedUp = false;

  constructor(budgetBytes: number, maxShareBytes: number) {
    this.#budgetBytes = budgetBytes;
    this.#maxShareBytes = maxShareBytes;
    this.#shareBytes = maxShareBytes;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** What a session may have unacknowledged now. */
  get shareBytes(): number {
    return this.#isUsedUp ? 0 : this.#shareBytes;
  }

  /** A session came (1) or went (-1). True when the share changed: tell everybody. */
  changeSessions(by: 1 | -1): boolean {
    this.#sessionCount += by;
    const even = Math.floor(this.#budgetBytes / Math.max(1, this.#sessionCount));
    const share = Math.min(this.#maxShareBytes, Math.max(smallestShareBytes, even));
    const isClose = share <= this.#shareBytes * 2 && share * 2 >= this.#shareBytes;
    if (isClose && share !== this.#maxShareBytes) return false;
    const before = this.shareBytes;
    this.#shareBytes = share;
    return this.shareBytes !== before;
  }

  /** Bytes came. True when the share changed. */
  take(bytes: number): boolean {
    this.#usedBytes += bytes;
    if (this.#isUsedUp || this.#usedBytes < this.#budgetBytes) return false;
    this.#isUsedUp = true;
    return true;
  }

  /** Bytes are durable, or dropped with their session. True when the share changed. */
  give(bytes: number): boolean {
    this.#usedBytes -= bytes;
    if (!this.#isUsedUp || this.#usedBytes * 2 > this.#budgetBytes) return false;
    this.#isUsedUp = false;
    return true;
  }
}
