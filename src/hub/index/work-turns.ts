// SPDX-License-Identifier: Apache-2.0
import { stepRowCount } from "../../index/table/apply-part.ts";

/**
 * Divides the time of the index thread between ingest and all other work. A turn is a number of rows, from any clusters
 * and flushes; messages, timers and reads run after each turn. A read therefore waits for one turn, not for a whole
 * flush nor for all flushes of one transaction.
 */
export class WorkTurns {
  readonly #pause: () => Promise<void>;
  #last: Promise<void> = Promise.resolve();
  #takenCount = 0;

  /** `pause` resolves after other work of the thread had the chance to run. */
  constructor(pause: () => Promise<void>) {
    this.#pause = pause;
  }

  /**
   * Resolves when this many rows may be processed synchronously: at once if they fit into the current turn, otherwise
   * in order, in a turn with room. Work larger than a turn gets its own turn. A turn ends when the next one is needed.
   */
  take(rowCount: number): Promise<void> {
    if (this.#hasRoom(rowCount)) {
      this.#takenCount += rowCount;
      return Promise.resolve();
    }
    this.#last = this.#last.then(async () => {
      if (!this.#hasRoom(rowCount)) {
        await this.#pause();
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
