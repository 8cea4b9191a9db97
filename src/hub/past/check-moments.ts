// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";

/** For how long deleted objects are listed if a query gives no time. */
export const defaultDeletedMs = 3_600_000;

/** The longest time for which deleted objects are listed: the work grows with the changes of that time. */
export const maxDeletedMs = 24 * 3_600_000;

/** Throws INVALID_ARGUMENT for a moment after now. Times are those of the hub (CO61). */
export function checkPastMoment(atMs: number, nowMs: number): void {
  if (atMs <= nowMs) return;
  throw new FlotillaError(
    "INVALID_ARGUMENT",
    `${timeText(atMs)} is in the future: at the hub it is ${timeText(nowMs)}; ask for a moment before that`,
  );
}

/** Throws INVALID_ARGUMENT unless the first moment is before the second and neither is after now. */
export function checkChangedTime(fromMs: number, toMs: number, nowMs: number): void {
  checkPastMoment(toMs, nowMs);
  if (fromMs < toMs) return;
  throw new FlotillaError(
    "INVALID_ARGUMENT",
    `changes are listed from an earlier to a later moment, not from ${timeText(fromMs)} to ${timeText(toMs)}`,
  );
}

/** Throws INVALID_ARGUMENT for a moment after now, or too long before it. */
export function checkDeletedSince(sinceMs: number, nowMs: number): void {
  checkPastMoment(sinceMs, nowMs);
  if (nowMs - sinceMs <= maxDeletedMs) return;
  throw new FlotillaError(
    "INVALID_ARGUMENT",
    `deleted objects are listed for at most 24 hours; ask for those since ${timeText(nowMs - maxDeletedMs)} or later`,
  );
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
