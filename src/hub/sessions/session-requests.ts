// SPDX-License-Identifier: Apache-2.0
// The requests of the rest of the hub to live sessions.
import type { SessionFacts } from "./session-events.ts";

/** The outcome of a probe request: sent to the agent; already sent less than a second ago; no session at this hub. */
export type ProbeAsk = "asked" | "askedBefore" | "notConnected";

/** The outcome of a tunnel request: sent to the agent of this session; no session at this hub; not supported (TU3). */
export type TunnelAsk =
  | { readonly kind: "asked"; readonly epoch: number }
  | { readonly kind: "notConnected" }
  | { readonly kind: "notServed" };

/** The outcome of a request for access reviews: sent to the agent of this session; no session at this hub. */
export type ReviewAsk = { readonly kind: "asked"; readonly epoch: number } | { readonly kind: "notConnected" };

/**
 * The outcome of a hint: sent to the agent of this session; no session at this hub; not supported by the agent; the
 * cluster is paused, so its agent sends no rows (SE43).
 */
export type HintAsk = { readonly kind: "asked"; readonly epoch: number } | { readonly kind: HintRefusalKind };

type HintRefusalKind = "notConnected" | "notServed" | "paused";

/** A live session in a list (N-45). */
export interface LiveView extends SessionFacts {
  /** The time since the newest message. */
  readonly heardMsAgo: number;
}
