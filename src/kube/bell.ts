// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../base/clock.ts";
import { WaitLine } from "../base/wait-line.ts";

/** Cuts a wait short. A ring while nobody waits is kept, once, for the next wait. For one waiter. */
export class Bell {
  readonly #clock: Clock;
  readonly #waiter = new WaitLine();
  #isRung = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  ring(): void {
    if (!this.#waiter.resolveFirst()) this.#isRung = true;
  }

  /** True when rung before `limitMs` were over. Rejects with the signal's reason. */
  async wait(limitMs: number, signal: AbortSignal): Promise<boolean> {
    if (this.#isRung) {
      this.#isRung = false;
      return true;
    }
    let isLate = false;
    const cancel = this.#clock.setTimer(limitMs, () => {
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
}
