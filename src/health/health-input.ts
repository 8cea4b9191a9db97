// SPDX-License-Identifier: Apache-2.0
// Inputs of the connection-state machine. Durations are the sender's, as of receipt; no sender clock is used (L20).
import type { KindReport } from "./kind-freshness.ts";

/** Faults that make an API server lost, or degraded (the last two) (HE5). */
export type ApiServerFault = "unauthorized" | "tls" | "dns" | "tcp" | "timeout" | "overloaded" | "serverError";

/** An agent's report of its API server in a heartbeat. Durations are as of receipt. */
export interface ApiServerReport {
  /** "": it answers. Any other text: lost; a receiver can meet a fault that it does not know. */
  readonly fault: ApiServerFault | "" | (string & {});
  /** Time in this state. */
  readonly sinceMsAgo: number;
  /** One sentence about the fault; with the fault "", the cause of degradation, if any. */
  readonly error: string;
  /** Attempts since it was lost, and the time until the next one. */
  readonly attemptCount: number;
  readonly retryInMs: number;
}

/** A pause as registered. */
export interface PauseFacts {
  /** The user who paused it; "" if unknown. */
  readonly by: string;
  /** Time since the pause, on the hub's own clock. */
  readonly pausedMsAgo: number;
}

/** Why an attempt was rejected, as on the wire (SE12). */
export type AttemptRejectionReason =
  | "ACTIVE_SESSION"
  | "GRACE_PERIOD"
  | "UNAUTHORIZED"
  | "WRONG_CLUSTER"
  | "PROTOCOL"
  | "OVERLOADED"
  | "PAUSED";

/**
 * One input. Inputs of a session carry its epoch: those of other sessions than the current one are ignored, so a late
 * result of a replaced session has no effect.
 */
export type HealthInput =
  /** A session was accepted and replaces any earlier one. `kinds`: the kinds to keep; undefined: all. */
  | {
      readonly kind: "sessionBegan";
      readonly epoch: number;
      readonly heartbeatMs: number;
      readonly kinds?: ReadonlySet<string> | undefined;
    }
  /**
   * `left`: Goodbye; `superseded`: replaced by a newer session, whose beginning is an input too; `refused`: the hub
   * refused the agent's data; `lost`: anything else.
   */
  | {
      readonly kind: "sessionEnded";
      readonly epoch: number;
      readonly ending: "left" | "lost" | "refused" | "superseded";
      readonly detail: string;
    }
  | {
      readonly kind: "attemptRejected";
      readonly reason: AttemptRejectionReason;
      readonly retryAfterMs: number;
      readonly detail: string;
    }
  | {
      readonly kind: "heartbeat";
      readonly epoch: number;
      readonly apiServer: ApiServerReport;
      /** Waiting time of the oldest change at the agent; undefined: none waits. */
      readonly oldestWaitingMs: number | undefined;
    }
  /** All kinds after the Welcome, later the changed ones. */
  | { readonly kind: "kindStatuses"; readonly epoch: number; readonly kinds: readonly KindReport[] }
  /** A digest comparison: kinds proven equal now, and differing kinds that are being repaired. */
  | {
      readonly kind: "compared";
      readonly epoch: number;
      readonly equal: readonly string[];
      readonly differing: readonly string[];
    }
  /** The hub could not reach an imported cluster. Only relevant before its first session. */
  | { readonly kind: "unreached"; readonly fault: string; readonly detail: string }
  /** An administrator paused or resumed the cluster (HE16). */
  | { readonly kind: "paused"; readonly pause: PauseFacts | undefined }
  /** Only time passed: the machine requested this step. */
  | { readonly kind: "timePassed" };
