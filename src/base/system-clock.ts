// SPDX-License-Identifier: Apache-2.0
import { type CancelTimer, type Clock, sleepOn } from "./clock.ts";

/** The machine's own time. Made once, in `main/` (and in the entry file of a worker), and handed down. */
export const systemClock: Clock = {
  nowMs: () => performance.now(),
  wallMs: () => Date.now(),
  setTimer(delayMs, callback): CancelTimer {
    // setTimeout takes 31 bits of milliseconds and runs at once beyond that; 24 days is as good as never here.
    const timer = setTimeout(callback, Math.min(Math.max(0, delayMs), 2_147_483_647));
    return () => clearTimeout(timer);
  },
  sleep(delayMs, signal) {
    return sleepOn(systemClock, delayMs, signal);
  },
};
