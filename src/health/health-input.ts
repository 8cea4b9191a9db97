// SPDX-License-Identifier: Apache-2.0
// What the connection-state machine is told. Durations are the sender's, as of receipt; no clock of a sender is in here (L20).
import type { ApiServerReport } from "./api-server-report.ts";
import type { KindReport } from "./kind-freshness.ts";

/** A pause as the registration has it. */
export interface PauseFacts {
  /** Who paused it; "" where that is not known. */
  readonly by: string;
  /** How long ago, by the hub's own clock. */
  readonly pausedMsAgo: number;
}

/** Why an attempt was not accepted, as the wire has it (SE12). */
export type RejectionReason =
  | "ACTIVE_SESSION"
  | "GRACE_PERIOD"
  | "UNAUTHORIZED"
  | "WRONG_CLUSTER"
  | "PROTOCOL"
  | "OVERLOADED"
  | "PAUSED";

/**
 * One input. What a session says carries its epoch: the word of a session that is not the present one changes nothing, so a late
 * result of a replaced one cannot start anything.
 */
export type HealthInput =
  /** Accepted. It takes the place of any session before it. `kinds`: those that are still of interest; undefined: all. */
  | {
      readonly kind: "sessionBegan";
      readonly epoch: number;
      readonly heartbeatMs: number;
      readonly kinds?: ReadonlySet<string> | undefined;
    }
  /**
   * `left` = Goodbye; `superseded` = a newer session has its place, whose beginning is told too; `refused` = the hub refused what the agent sent;
   * `lost` = anything else.
   */
  | {
      readonly kind: "sessionEnded";
      readonly epoch: number;
      readonly ending: "left" | "lost" | "refused" | "superseded";
      readonly detail: string;
    }
  | {
      readonly kind: "attemptRejected";
      readonly reason: RejectionReason;
      readonly retryAfterMs: number;
      readonly detail: string;
    }
  | {
      readonly kind: "heartbeat";
      readonly epoch: number;
      readonly apiServer: ApiServerReport;
      /** How long the oldest change has waited at the agent; undefined = none waits. */
      readonly oldestWaitingMs: number | undefined;
    }
  /** Every kind after the Welcome, later those that changed. */
  | { readonly kind: "kindStatuses"; readonly epoch: number; readonly kinds: readonly KindReport[] }
  /** A comparison of digests: kinds proven equal now, and kinds that differ and are being mended. */
  | {
      readonly kind: "compared";
      readonly epoch: number;
      readonly equal: readonly string[];
      readonly differing: readonly string[];
    }
  /** The hub could not reach a cluster that it was given a kubeconfig of; says something only until its first session. */
  | { readonly kind: "unreached"; readonly fault: string; readonly detail: string }
  /** An administrator paused the cluster or lets it go on (HE16). */
  | { readonly kind: "paused"; readonly pause: PauseFacts | undefined }
  /** Nothing happened but time: the machine asked for this moment. */
  | { readonly kind: "timePassed" };
