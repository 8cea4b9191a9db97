// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "./error.ts";

/** 1 hour: a peer may request a delay, but cannot keep us away for ever (L12). */
export const longestRetryAfterMs = 3_600_000;

/** The delay that the peer requested, from `retryAfterMs` of the error's ids; 0 if none, at most one hour. */
export function retryAfterMsOf(reason: unknown): number {
  if (!(reason instanceof FlotillaError)) return 0;
  const asked = reason.ids["retryAfterMs"];
  return typeof asked === "number" && asked > 0 ? Math.min(asked, longestRetryAfterMs) : 0;
}
