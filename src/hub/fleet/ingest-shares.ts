// SPDX-License-Identifier: Apache-2.0
// Who may send how much: the budget of bytes and the line of first syncs, for the sessions that collect (SE20 to SE22).
import { CreditBudget } from "../../session/hub/credit-budget.ts";
import { FirstSyncs } from "../../session/hub/first-syncs.ts";

/** A session that can be told of its credit. */
export interface CreditTaker {
  tellCredit(creditBytes: number, position: number): void;
}

/** A first sync that shows nothing for this long gives its turn to who waits; it keeps its credit. */
const idleTurnMs = 300_000;

export interface IngestSharesOptions {
  readonly budgetBytes: number;
  readonly maxShareBytes: number;
  readonly firstSyncCount: number;
}

/** Divides credit and tells every session whose share or place changed. */
export class IngestShares<Session extends CreditTaker> {
  readonly #budget: CreditBudget;
  readonly #line: FirstSyncs<Session>;
  readonly #sessions = new Set<Session>();

  constructor({ budgetBytes, maxShareBytes, firstSyncCount }: IngestSharesOptions) {
    this.#budget = new CreditBudget(budgetBytes, maxShareBytes);
    this.#line = new FirstSyncs(firstSyncCount);
  }

  get usedBytes(): number {
    return this.#budget.usedBytes;
  }

  get firstSyncs(): { readonly active: number; readonly waiting: number } {
    return this.#line.counts;
  }

  /** A session that collects comes in; answers what it is welcomed with. */
  enter(session: Session, isFirstSync: boolean): { readonly creditBytes: number; readonly position: number } {
    const isChanged = this.#budget.changeSessions(1);
    if (isChanged) this.#tellAll();
    this.#sessions.add(session);
    const position = isFirstSync ? this.#line.enter(session) : 0;
    return { creditBytes: position > 0 ? 0 : this.#budget.shareBytes, position };
  }

  leave(session: Session): void {
    if (!this.#sessions.delete(session)) return;
    this.#moveUp(session);
    if (this.#budget.changeSessions(-1)) this.#tellAll();
  }

  /** Its first sync is done, if it was one. */
  caughtUp(session: Session): void {
    this.#moveUp(session);
  }

  /** Gives an idle first sync's turn on. */
  passIdleTurn(session: Session, idleMs: number): void {
    if (idleMs > idleTurnMs && this.#line.counts.waiting > 0 && !this.#line.isWaiting(session)) this.#moveUp(session);
  }

  take(bytes: number): void {
    if (this.#budget.take(bytes)) this.#tellAll();
  }

  give(bytes: number): void {
    if (this.#budget.give(bytes)) this.#tellAll();
  }

  #moveUp(session: Session): void {
    for (const { session: moved, position } of this.#line.leave(session))
      moved.tellCredit(position > 0 ? 0 : this.#budget.shareBytes, position);
  }

  #tellAll(): void {
    for (const session of this.#sessions)
      if (!this.#line.isWaiting(session)) session.tellCredit(this.#budget.shareBytes, 0);
  }
}
