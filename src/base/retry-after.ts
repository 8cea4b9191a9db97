// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "./error.ts";

/** One hour: the other side may ask for patience, but no answer of its keeps us away for ever (L12). */
export const longestRetryAfterMs = 3_600_000;

/** How long the other side asked to wait, from `retryAfterMs` of the error's ids; 0 when it did not, at most an hour. */
export function retryAfterMsOf(reason: unknown): number {
  if (!(reason instanceof FlotillaError)) return 0;
  const asked = reason.ids["retryAfterMs"];
  return typeof asked === "number" && asked > 0 ? Math.min(asked, longestRetryAfterMs) : 0;
}
