// SPDX-License-Identifier: Apache-2.0
import { isCancellation } from "../../base/abort.ts";

/** A task that runs until it is stopped and can be restarted. */
export class RestartableTask {
  readonly #run: (signal: AbortSignal) => Promise<void>;
  readonly #ended: Promise<void>;
  #turn = new AbortController();
  #isStopped = false;

  /**
   * Starts at once. `run` rejects with its signal's reason on abort. Any other rejection goes to `onFailure` and ends
   * the task.
   */
  constructor(run: (signal: AbortSignal) => Promise<void>, onFailure: (reason: unknown) => void) {
    this.#run = run;
    this.#ended = this.#repeat().catch(onFailure);
  }

  /** Cancels the current run and starts another. */
  restart(): void {
    this.#turn.abort(new Error("restarted"));
  }

  /** Cancels the task for good. Resolves when the run has ended. */
  stop(): Promise<void> {
    this.#isStopped = true;
    this.#turn.abort(new Error("stopped"));
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
