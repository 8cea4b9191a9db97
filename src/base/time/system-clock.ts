// SPDX-License-Identifier: Apache-2.0
import { type CancelTimer, type Clock, sleepOn } from "./clock.ts";

/** The system clock. Used only in `main/` and in the entry file of a worker, and passed down. */
export const systemClock: Clock = {
  nowMs: () => performance.now(),
  wallMs: () => Date.now(),
  setTimer(delayMs, callback): CancelTimer {
    // setTimeout takes 31 bits of milliseconds and fires at once beyond that; 24 days is long enough here.
    const timer = setTimeout(callback, Math.min(Math.max(0, delayMs), 2_147_483_647));
    return () => clearTimeout(timer);
  },
  sleep(delayMs, signal) {
    return sleepOn(systemClock, delayMs, signal);
  },
};

/** Resolves after messages, sockets and due timers of this thread were served. Shorter than the shortest timer. */
export function pauseThread(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
