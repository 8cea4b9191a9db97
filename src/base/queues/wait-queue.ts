// SPDX-License-Identifier: Apache-2.0
import { abortReason, onAbort } from "../abort.ts";
import { LinkedList } from "./linked-list.ts";

interface Waiter<Ticket, Result> {
  readonly ticket: Ticket;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: Error) => void;
}

/** A FIFO of waiting promises. An aborted waiter leaves the queue and removes its listener. */
export class WaitQueue<Result = void, Ticket = undefined> {
  readonly #waiters = new LinkedList<Waiter<Ticket, Result>>();

  get length(): number {
    return this.#waiters.length;
  }

  /** The ticket of the first waiter. */
  get firstTicket(): Ticket | undefined {
    return this.#waiters.first?.ticket;
  }

  /** Waits for `resolveFirst`. Rejects with the signal's reason as soon as it aborts. */
  wait(ticket: Ticket, signal?: AbortSignal): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(abortReason(signal));
        return;
      }
      let unlisten: (() => void) | undefined;
      const leave = this.#waiters.push({
        ticket,
        resolve: (result) => {
          unlisten?.();
          resolve(result);
        },
        reject: (error) => {
          unlisten?.();
          reject(error);
        },
      });
      if (signal === undefined) return;
      unlisten = onAbort(signal, () => {
        leave();
        reject(abortReason(signal));
      });
    });
  }

  /** Resolves the first waiter; false if there is none. */
  resolveFirst(result: Result): boolean {
    const waiter = this.#waiters.shift();
    waiter?.resolve(result);
    return waiter !== undefined;
  }

  resolveAll(result: Result): void {
    while (this.resolveFirst(result));
  }

  rejectAll(error: Error): void {
    for (let waiter = this.#waiters.shift(); waiter !== undefined; waiter = this.#waiters.shift()) waiter.reject(error);
  }
}
