// SPDX-License-Identifier: Apache-2.0
import type { Clock } from "../../base/clock.ts";
import { stepRowCount } from "./picture-kind-rows.ts";

/**
 * Lets the work of all clusters take turns with everything else that the thread does. A turn is counted in rows, whoever's they are and however many
 * flushes they came in; after each, timers and sockets have theirs. So reads wait for one turn and not for a flush, nor for all the small ones that become
 * durable in one transaction.
 */
export class IngestTurns {
  readonly #clock: Clock;
  #last: Promise<void> = Promise.resolve();
  #takenCount = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Resolves when work on so many rows may be done at once, without waiting: at once where it fits into the turn that is on, else in order of asking, in a
   * turn that has room. What is larger than a turn has one of its own. A turn ends when somebody needs the next.
   */
  take(rowCount: number): Promise<void> {
    if (this.#hasRoom(rowCount)) {
      this.#takenCount += rowCount;
      return Promise.resolve();
    }
    this.#last = this.#last.then(async () => {
      if (!this.#hasRoom(rowCount)) {
        await this.#clock.sleep(0);
        this.#takenCount = 0;
      }
      this.#takenCount += rowCount;
    });
    return this.#last;
  }

  #hasRoom(rowCount: number): boolean {
    return this.#takenCount === 0 || this.#takenCount + rowCount <= stepRowCount;
  }
}
