// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../time/clock.ts";
import { WaitQueue } from "./wait-queue.ts";

/**
 * Lets one loop wait until there may be something to do. A wake-up while it does not wait is kept, once, for its next
 * wait, so that none is missed. For one waiter.
 */
export class WakeUp {
  readonly #waiter = new WaitQueue();
  #isDue = false;

  wake(): void {
    if (!this.#waiter.resolveFirst()) this.#isDue = true;
  }

  /** Resolves at the first `wake` since the last wait. Rejects with the signal's reason. */
  async wait(signal?: AbortSignal): Promise<void> {
    if (!this.#takeDue()) await this.#waiter.wait(undefined, signal);
  }

  /** True when woken before `limitMs` were over, false after that time. Rejects with the signal's reason. */
  async waitAtMost(clock: Clock, limitMs: number, signal: AbortSignal): Promise<boolean> {
    if (this.#takeDue()) return true;
    let isLate = false;
    const cancel = clock.setTimer(limitMs, () => {
      isLate = true;
      this.#waiter.resolveFirst();
    });
    try {
      await this.#waiter.wait(undefined, signal);
      return !isLate;
    } finally {
      cancel();
    }
  }

  #takeDue(): boolean {
    const isDue = this.#isDue;
    this.#isDue = false;
    return isDue;
  }
}
