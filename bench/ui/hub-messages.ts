// SPDX-License-Identifier: Apache-2.0
// What passes between the bench and the process of its hub.

/** What the hub is to hold. */
export interface HubPlan {
  readonly clusterCount: number;
  /** Tokens of one user: a token may have eight streams (PG15). */
  readonly tokenCount: number;
}

/** To the hub's process. */
export type HubOrder =
  /** Makes so many changes a second from now on; 0 = none. Answered by `changed`. */
  { readonly kind: "change"; readonly perSecond: number } | { readonly kind: "link" };

/** From the hub's process. */
export type HubNews =
  | {
      readonly kind: "ready";
      readonly tlsUrl: string;
      readonly plainUrl: string;
      readonly ca: string;
      readonly tokens: readonly string[];
    }
  /** How many changes were made until now. */
  | { readonly kind: "changed"; readonly count: number }
  /** A login link, good once. */
  | { readonly kind: "link"; readonly link: string };
