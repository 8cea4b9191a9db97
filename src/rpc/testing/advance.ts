// SPDX-License-Identifier: Apache-2.0
import type { ManualClock } from "../../base/testing/manual-clock.ts";

/**
 * Advances the clock in steps until the promise settles; real input and output run between steps. For real sockets
 * under a manual clock, where the turn in which a timer is set is unknown. Resolves with the clock's time at the end.
 */
export async function advanceUntil(clock: ManualClock, settled: Promise<unknown>, stepMs = 250): Promise<number> {
  const over = settled.then(
    () => true,
    () => true,
  );
  while (!(await Promise.race([over, Promise.resolve(false)]))) await clock.advance(stepMs);
  return clock.nowMs();
}
