// SPDX-License-Identifier: Apache-2.0
// Divides the ingest budget and the first-sync slots among the sessions that collect (SE20 to SE22).
import type { Gauge } from "../../base/metrics.ts";
import { CreditBudget } from "../../session/hub/credit-budget.ts";
import { FirstSyncs } from "../../session/hub/first-syncs.ts";

/** A session that receives credit. */
export interface CreditReceiver {
  setCredit(creditBytes: number, position: number): void;
}

/** A first sync that is idle for this long passes its slot to the next in the queue. It keeps its credit. */
const idleTurnMs = 300_000;

export interface IngestSharesOptions {
  readonly budgetBytes: number;
  readonly maxShareBytes: number;
  readonly firstSyncCount: number;
  /** Shows the bytes received and not durable yet. */
  readonly usedBytes: Gauge<never>;
}

/** Divides credit and notifies every session whose share or position changed. */
export class IngestShares {
  readonly #usedBytes: Gauge<never>;
  readonly #budget: CreditBudget;
  readonly #line: FirstSyncs<CreditReceiver>;
  readonly #sessions = new Set<CreditReceiver>();

  constructor({ budgetBytes, maxShareBytes, firstSyncCount, usedBytes }: IngestSharesOptions) {
    this.#usedBytes = usedBytes;
    this.#budget = new CreditBudget(budgetBytes, maxShareBytes);
    this.#line = new FirstSyncs(firstSyncCount);
  }

  /** Adds a session that collects. Returns the credit and position for its Welcome. */
  enter(session: CreditReceiver, isFirstSync: boolean): { readonly creditBytes: number; readonly position: number } {
    const isChanged = this.#budget.changeSessions(1);
    if (isChanged) this.#notifyAll();
    this.#sessions.add(session);
    const position = isFirstSync ? this.#line.enter(session) : 0;
    return { creditBytes: position > 0 ? 0 : this.#budget.shareBytes, position };
  }

  leave(session: CreditReceiver): void {
    if (!this.#sessions.delete(session)) return;
    this.#moveUp(session);
    if (this.#budget.changeSessions(-1)) this.#notifyAll();
  }

  /** Ends the session's first sync, if it has one. */
  caughtUp(session: CreditReceiver): void {
    this.#moveUp(session);
  }

  /** Passes on the slot of an idle first sync. */
  passIdleTurn(session: CreditReceiver, idleMs: number): void {
    if (idleMs > idleTurnMs && this.#line.counts.waiting > 0 && !this.#line.isWaiting(session)) this.#moveUp(session);
  }

  /** Counts bytes as received. */
  take(bytes: number): void {
    if (this.#budget.take(bytes)) this.#notifyAll();
    this.#usedBytes.set({}, this.#budget.usedBytes);
  }

  /** Counts bytes as durable or dropped. */
  give(bytes: number): void {
    if (this.#budget.give(bytes)) this.#notifyAll();
    this.#usedBytes.set({}, this.#budget.usedBytes);
  }

  #moveUp(session: CreditReceiver): void {
    for (const { session: moved, position } of this.#line.leave(session))
      moved.setCredit(position > 0 ? 0 : this.#budget.shareBytes, position);
  }

  #notifyAll(): void {
    for (const session of this.#sessions)
      if (!this.#line.isWaiting(session)) session.setCredit(this.#budget.shareBytes, 0);
  }
}
