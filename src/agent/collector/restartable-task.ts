// SPDX-License-Identifier: Apache-2.0
import { isCancellation } from "../../base/abort.ts";

/** Work that goes on until it is stopped, and can be begun anew. */
export class RestartableTask {
  readonly #run: (signal: AbortSignal) => Promise<void>;
  readonly #ended: Promise<void>;
  #turn = new AbortController();
  #isStopped = false;

  /** Begins at once. `run` rejects with its signal's reason when that aborts; anything else it rejects with goes to `onFailure`, and the task is over. */
  constructor(run: (signal: AbortSignal) => Promise<void>, onFailure: (reason: unknown) => void) {
    this.#run = run;
    this.#ended = this.#repeat().catch(onFailure);
  }

  /** Breaks off what is under way and begins anew. */
  restart(): void {
    this.#turn.abort(new Error("it begins anew"));
  }

  /** Breaks off what is under way for good. Resolves when it has let go. */
  stop(): Promise<void> {
    this.#isStopped = true;
    this.#turn.abort(new Error("it is no longer wanted"));
    return this.#ended;
  }

  async #repeat(): Promise<void> {
    while (!this.#isStopped) {
      const { signal } = this.#turn;
      try {
        await this.#run(signal);
      } catch (reason) {
        if (!isCancellation(signal, reason)) throw reason;
      }
      this.#turn = new AbortController();
    }
  }
}
