// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../base/clock.ts";

/**
 * Lets the long work of all clusters take turns with everything else that the thread does: between two steps of it, whoever's they are, timers
 * and sockets have theirs. So reads wait for one step and not for a flush, however many clusters are brought at once.
 */
export class IngestTurns {
  readonly #clock: Clock;
  #last: Promise<void> = Promise.resolve();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when those who asked before have had their turn and the thread has done what else there was. */
  pass(): Promise<void> {
    this.#last = this.#last.then(() => this.#clock.sleep(0));
    return this.#last;
  }
}
