// SPDX-License-Identifier: Apache-2.0
// When an agent comes back after a session has ended (SE12, SE31, SE32).
import type { Backoff } from "../../base/backoff.ts";
import type { Random } from "../../base/random.ts";
import { longestRetryAfterMs } from "../../base/retry-after.ts";
import type { RejectName } from "./parse-response.ts";
import type { SessionEnding } from "./session-event.ts";

/** What is waited for a reason that came without a time (SE12); the reasons not named follow the backoff. */
const defaultRetryMs: Readonly<Partial<Record<RejectName, number>>> = {
  PAUSED: 60_000,
  UNAUTHORIZED: 300_000,
  WRONG_CLUSTER: 300_000,
  PROTOCOL: 300_000,
};

/** The share that chance adds to a time that the hub told, so that agents told together do not come together (SE12). */
const jitterShare = 0.2;

/** The time the hub asked for; 0 when it did not. At most an hour (L12). */
function askedMs(ending: SessionEnding): number {
  if (ending.kind === "drained") return Math.min(ending.retryAfterMs, longestRetryAfterMs);
  if (ending.kind !== "rejected") return 0;
  return Math.min(
    ending.retryAfterMs > 0 ? ending.retryAfterMs : (defaultRetryMs[ending.reason] ?? 0),
    longestRetryAfterMs,
  );
}

/** The delay before the next attempt. A time that the hub told is kept, and is no failure; all else follows the backoff. */
export function retryDelayMs(ending: SessionEnding, backoff: Backoff, random: Random): number {
  const asked = askedMs(ending);
  return asked > 0 ? asked * (1 + jitterShare * random.next()) : backoff.next(random);
}
