// SPDX-License-Identifier: Apache-2.0
// Limits from docs/spec/page.md.

/** Two updates per second and view (PG10). */
export const stepMs = 500;

/** Interval of heartbeats on a quiet stream, and the age at which permissions are checked again (PG12, PG13). */
export const heartbeatMs = 5_000;

/** Maximum subscriptions of one stream: eight tabs with eight views each (PG15). */
export const maxSubscriptionCount = 64;

/** Maximum streams of one token: eight tabs of a browser that cannot share one (PG8, PG15). */
export const maxStreamCount = 8;

/**
 * Time for which an ended incident is still listed, so that a page disconnected for a minute learns how it ended
 * (PG19).
 */
export const endedIncidentMs = 60_000;

/** Maximum unhealthy and degraded rows shown per cluster, worst first; all are counted. Some 200 kB. */
export const maxTroubledRowCount = 500;

/** Maximum entries of a cluster's history: more than a screen on the worst day. */
export const maxHistoryCount = 200;

/** Maximum changes in one update: more than users read in half a second, some 60 kB. */
export const maxChangeCount = 500;

/** Recent changes at the start of a feed: the last minutes of a calm fleet, some screens of a busy one; some 25 kB. */
export const maxEarlierCount = 200;
