// SPDX-License-Identifier: Apache-2.0
import { abortReason } from "./abort.ts";

/** Undoes a timer. Calling it again, or after the timer ran, does nothing. */
export type CancelTimer = () => void;

/** Time as it comes in through the door: everything that waits or measures takes one of these. */
export interface Clock {
  /** Monotonic milliseconds since an arbitrary start; for ages, deadlines and intervals (L20). May have a fraction. */
  nowMs(): number;
  /** Milliseconds since 1970 by this machine's wall clock; for what people read. Never compared with another machine's. */
  wallMs(): number;
  /** Runs `callback` once, `delayMs` from now, unless cancelled. A waiting timer keeps the process alive, as any open work does. */
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
