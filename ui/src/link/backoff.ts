// SPDX-License-Identifier: Apache-2.0

/** How long to wait before an attempt to open the stream (PG14). */
export interface Backoff {
  readonly firstMs: number;
  readonly capMs: number;
}

/** A hub that restarts is back within seconds; one that is gone is asked six times a minute. */
export const linkBackoff: Backoff = { firstMs: 500, capMs: 10_000 };

/** The wait after so many failures in a row: doubled each time up to the cap, with full jitter, so that 200 browsers do not come back as one. */
export function backoffMs({ firstMs, capMs }: Backoff, failureCount: number, random: () => number): number {
  const ceilingMs = Math.min(capMs, firstMs * 2 ** Math.min(failureCount - 1, 30));
  return Math.round(ceilingMs * random());
}
