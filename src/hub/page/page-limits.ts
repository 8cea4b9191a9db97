// SPDX-License-Identifier: Apache-2.0
// The numbers of docs/spec/page.md that the hub keeps.

/** Two updates a second of one view (PG10). */
export const stepMs = 500;

/** Quiet time after which a message shows that the stream lives, and age at which a permission is asked anew (PG12, PG13). */
export const heartbeatMs = 5_000;

/** Subscriptions of one stream: eight tabs with eight views each (PG15). */
export const maxSubscriptionCount = 64;

/** Streams of one token: eight tabs of a browser that cannot share one (PG8, PG15). */
export const maxStreamCount = 8;

/** How long an incident that is over is still listed: a page that was away for a minute learns how it ended (PG19). */
export const endedIncidentMs = 60_000;

/** Rows of what is in trouble in one cluster; beyond, the worst are shown and all are counted. Some 200 kB. */
export const maxTroubledRowCount = 500;

/** Entries of a cluster's history: more than a screen of the worst day. */
export const maxHistoryCount = 200;

/** Changes in one update: more than anybody reads in half a second, and some 60 kB. */
export const maxChangeCount = 500;

/** Changes that a feed begins with: the last minutes of a calm fleet, some screens of a busy one, and some 25 kB. */
export const maxEarlierCount = 200;
