// SPDX-License-Identifier: Apache-2.0

/** Delays between attempts to open the stream (PG14). */
export interface LinkBackoff {
  readonly firstMs: number;
  readonly capMs: number;
}

/** A restarting hub returns within seconds; a lost one gets at least six attempts a minute. */
export const linkBackoff: LinkBackoff = { firstMs: 500, capMs: 10_000 };

/**
 * The delay after this many failures in a row: doubled up to the cap, with full jitter, so that 200 browsers do not
 * reconnect at once.
 */
export function backoffMs({ firstMs, capMs }: LinkBackoff, failureCount: number, random: () => number): number {
  const ceilingMs = Math.min(capMs, firstMs * 2 ** Math.min(failureCount - 1, 30));
  return Math.round(ceilingMs * random());
}
