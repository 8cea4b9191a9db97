// SPDX-License-Identifier: Apache-2.0

import type { SeededRandom } from "../../../src/base/random.ts";
import type { Clock } from "../../../src/base/time/clock.ts";
import type { World } from "../../support/sim/world.ts";

/**
 * A process's own idea of the time: neither its days nor its uptime are those of others (L20). Another one at each
 * start, as after a clock was set.
 */
export function createSkewedClock({ clock, trace }: World, name: string, random: SeededRandom): Clock {
  const byMs = random.int(86_400_000);
  const wallByMs = random.int(2 * 86_400_000) - 86_400_000;
  trace.add(`clock of ${name} differs by ${wallByMs} ms`);
  return {
    nowMs: () => clock.nowMs() + byMs,
    wallMs: () => clock.wallMs() + wallByMs,
    setTimer: (delayMs, callback) => clock.setTimer(delayMs, callback),
    sleep: (delayMs, signal) => clock.sleep(delayMs, signal),
  };
}
