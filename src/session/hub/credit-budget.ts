// SPDX-License-Identifier: Apache-2.0
// One budget of bytes for all ingest, divided among the sessions (SE21).

/** Default limit of bytes of flushes in the hub's memory that are not durable yet, of all sessions together. */
export const defaultIngestBudgetBytes = 256 * 1024 * 1024;

/** With a smaller credit every flush would need its own round trip. */
const smallestShareBytes = 64 * 1024;

/**
 * Counts received bytes that are not durable yet, and sets how much each session may have unacknowledged. The share is
 * the budget divided by the number of sessions, within bounds. It is 0 from when the budget is used up until half of it
 * is free again, to avoid oscillation. It is otherwise adjusted only by more than a factor of two, or to the maximum.
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

  /** Most unacknowledged bytes of one session now. */
  get shareBytes(): number {
    return this.#isUsedUp ? 0 : this.#shareBytes;
  }

  /** A session was added (1) or removed (-1). True if the share changed: notify all sessions. */
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

  /** Bytes were received. True if the share changed. */
  take(bytes: number): boolean {
    this.#usedBytes += bytes;
    if (this.#isUsedUp || this.#usedBytes < this.#budgetBytes) return false;
    this.#isUsedUp = true;
    return true;
  }

  /** Bytes are durable, or dropped with their session. True if the share changed. */
  give(bytes: number): boolean {
    this.#usedBytes -= bytes;
    if (!this.#isUsedUp || this.#usedBytes * 2 > this.#budgetBytes) return false;
    this.#isUsedUp = false;
    return true;
  }
}
