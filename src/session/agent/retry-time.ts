// SPDX-License-Identifier: Apache-2.0
// When an agent reconnects after a session has ended (SE12, SE31, SE32).

import type { Random } from "../../base/random.ts";
import { type Backoff, longestRetryAfterMs } from "../../base/time/backoff.ts";
import type { RejectName } from "./parse-response.ts";
import type { SessionEnding } from "./session-event.ts";

/** Delays for rejections without a time (SE12). Other reasons follow the backoff. */
const defaultRetryMs: Readonly<Partial<Record<RejectName, number>>> = {
  PAUSED: 60_000,
  UNAUTHORIZED: 300_000,
  WRONG_CLUSTER: 300_000,
  PROTOCOL: 300_000,
};

/** Random share added to the hub's retry time, so that agents rejected together do not return together (SE12). */
const jitterShare = 0.2;

/** The retry time of the hub or of its reason; 0 if there is none. At most an hour (L12). */
function askedMs(ending: SessionEnding): number {
  if (ending.kind === "drained") return Math.min(ending.retryAfterMs, longestRetryAfterMs);
  if (ending.kind !== "rejected") return 0;
  return Math.min(
    ending.retryAfterMs > 0 ? ending.retryAfterMs : (defaultRetryMs[ending.reason] ?? 0),
    longestRetryAfterMs,
  );
}

/**
 * The delay before the next attempt. A retry time is used as it is and does not count as a failure; otherwise the
 * backoff applies.
 */
export function retryDelayMs(ending: SessionEnding, backoff: Backoff, random: Random): number {
  const asked = askedMs(ending);
  return asked > 0 ? asked * (1 + jitterShare * random.next()) : backoff.next(random);
}
