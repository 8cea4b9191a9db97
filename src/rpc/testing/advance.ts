// SPDX-License-Identifier: Apache-2.0
import type { ManualClock } from "../../base/manual-clock.ts";

/**
 * Moves the clock on in steps, each with a turn for real input and output, until the promise settles. For real sockets
 * under a manual clock, where it is not known at which turn a timer is set. Resolves with the clock's time at the end.
 */
export async function advanceUntil(clock: ManualClock, settled: Promise<unknown>, stepMs = 250): Promise<number> {
  const over = settled.then(
    () => true,
    () => true,
  );
  while (!(await Promise.race([over, Promise.resolve(false)]))) await clock.advance(stepMs);
  return clock.nowMs();
}
