// SPDX-License-Identifier: Apache-2.0
import type { CancelTimer, Clock } from "../../base/time/clock.ts";

/**
 * Calls `onSilence` if the peer has sent nothing for `limitMs` while we listened. Time in which we did not listen,
 * because the receiver was busy, does not count. Uses one timer for any number of messages.
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

  /** Starts listening: the peer must send something within the limit, of which `silentMs` have already passed. */
  listen(silentMs = 0): void {
    const leftMs = Math.max(0, this.#limitMs - silentMs);
    const dueMs = this.#clock.nowMs() + leftMs;
    if (dueMs < this.#dueMs) this.#stopTimer();
    this.#isListening = true;
    this.#dueMs = dueMs;
    this.#cancel ??= this.#clock.setTimer(leftMs, () => this.#check());
  }

  /**
   * Records a message. It is too late if this process was suspended when the limit passed: the message may be old, with
   * nothing sent since.
   */
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
