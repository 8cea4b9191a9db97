// SPDX-License-Identifier: Apache-2.0
import { abortReason } from "../abort.ts";

/** Cancels a timer. Does nothing if the timer has run or was cancelled. */
export type CancelTimer = () => void;

/** The source of time. Everything that waits or measures takes one as an argument. */
export interface Clock {
  /** Monotonic milliseconds since an arbitrary start; for ages, deadlines and intervals (L20). May have a fraction. */
  nowMs(): number;
  /** Wall clock milliseconds since 1970, for display. Never compared with another machine's. */
  wallMs(): number;
  /** Runs `callback` once after `delayMs`, unless cancelled. A pending timer keeps the process alive. */
  setTimer(delayMs: number, callback: () => void): CancelTimer;
  /** Resolves after `delayMs`. Rejects with the signal's reason as soon as it aborts, and leaves no timer behind. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

/** `sleep` for any clock that has `setTimer`; shared by the implementations. */
export function sleepOn(clock: Pick<Clock, "setTimer">, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(abortReason(signal));
      return;
    }
    const onAbort = (): void => {
      cancel();
      if (signal !== undefined) reject(abortReason(signal));
    };
    const cancel = clock.setTimer(delayMs, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
