// SPDX-License-Identifier: Apache-2.0
// Divides the ingest budget and the first-sync slots among the sessions that collect (SE20 to SE22).
import { CreditBudget } from "../../session/hub/credit-budget.ts";
import { FirstSyncs } from "../../session/hub/first-syncs.ts";

/** A session that receives credit. */
export interface CreditTaker {
  tellCredit(creditBytes: number, position: number): void;
}

/** A first sync that is idle for this long passes its slot to the next in the queue. It keeps its credit. */
const idleTurnMs = 300_000;

export interface IngestSharesOptions {
  readonly budgetBytes: number;
  readonly maxShareBytes: number;
  readonly firstSyncCount: number;
}

/** Divides credit and notifies every session whose share or position changed. */
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

  /** Adds a session that collects. Returns the credit and position for its Welcome. */
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

  /** Ends the session's first sync, if it has one. */
  caughtUp(session: Session): void {
    this.#moveUp(session);
  }

  /** Passes on the slot of an idle first sync. */
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
