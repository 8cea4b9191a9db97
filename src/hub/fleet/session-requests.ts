// SPDX-License-Identifier: Apache-2.0
// What the rest of the hub asks of live sessions.
import type { SessionFacts } from "./fleet-observer.ts";

/** Outcome of a request for a probe: sent to the agent; sent less than a second ago; this hub has no session with it. */
export type ProbeAsk = "asked" | "askedBefore" | "notConnected";

/** Outcome of a request for a tunnel: sent to the agent of that session; no session at this hub; not served (TU3). */
export type TunnelAsk =
  | { readonly kind: "asked"; readonly epoch: number }
  | { readonly kind: "notConnected" }
  | { readonly kind: "notServed" };

/** A live session in a list (N-45). */
export interface LiveView extends SessionFacts {
  /** How long ago the newest message came. */
  readonly heardMsAgo: number;
}
