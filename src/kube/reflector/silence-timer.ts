// SPDX-License-Identifier: Apache-2.0
import type { CancelTimer, Clock } from "../../base/clock.ts";

/**
 * Calls `onSilence` when the other side has said nothing for `limitMs` while we listened. Time in which we did not listen, because the receiver was not
 * ready, is ours and does not count. One timer, however much is heard.
 */
export class SilenceTimer implements Disposable {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #onSilence: () => void;
  #dueMs = 0;
  #isListening = false;
  #cancel: CancelTimer | undefined;

  constructor(clock: Clock, limitMs: number, onSilence: () => void) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#onSilence = onSilence;
  }

  /** From now on the other side is expected to say something within the limit; `silentMs` of it have passed already. */
  listen(silentMs = 0): void {
    const leftMs = Math.max(0, this.#limitMs - silentMs);
    const dueMs = this.#clock.nowMs() + leftMs;
    if (dueMs < this.#dueMs) this.#stopTimer();
    this.#isListening = true;
    this.#dueMs = dueMs;
    this.#cancel ??= this.#clock.setTimer(leftMs, () => this.#check());
  }

  /** It did. Too late where this process was asleep when the time was over: what it reads then may have been said long ago, and nothing since. */
  heard(): void {
    if (this.#isListening && this.#clock.nowMs() > this.#dueMs) this.#onSilence();
    this.#isListening = false;
  }

  [Symbol.dispose](): void {
    this.#isListening = false;
    this.#stopTimer();
  }

  #stopTimer(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #check(): void {
    this.#cancel = undefined;
    if (!this.#isListening) return;
    const leftMs = this.#dueMs - this.#clock.nowMs();
    if (leftMs <= 0) this.#onSilence();
    else this.#cancel = this.#clock.setTimer(leftMs, () => this.#check());
  }
}
