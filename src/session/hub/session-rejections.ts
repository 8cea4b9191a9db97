// SPDX-License-Identifier: Apache-2.0
// The hub's reasons for rejections, losses and refusals. Metrics, logs and health show them unchanged.
import { RejectReason } from "../../gen/flotilla/session/v1/session_pb.ts";

/** The reasons of a rejection, as on the wire (SE12). */
export type RejectionReason =
  | "ACTIVE_SESSION"
  | "GRACE_PERIOD"
  | "UNAUTHORIZED"
  | "WRONG_CLUSTER"
  | "PROTOCOL"
  | "OVERLOADED";

/**
 * Why a session was lost: the stream broke; two heartbeats were missed; the agent sent a refused message (SE4); its
 * digests stayed unequal (SE27); its key was revoked or the cluster removed; a newer session of the same agent or
 * another holder took the claim; the hub's store failed; the hub closes.
 */
export type LossReason =
  | "streamBroken"
  | "heartbeatMissed"
  | "refused"
  | "diverged"
  | "revoked"
  | "superseded"
  | "storeFailed"
  | "hubClosing";

/**
 * Why a message was refused as a whole (SE4): it cannot be decoded; it is over a limit; its sequence has a gap; its
 * epoch is outdated; it exceeds the credit; it is not allowed in this state or for this shard; it replaces a bucket
 * without a completed list (SE26); digests stay unequal (SE27); the agent has not named its kind (SE56); it exceeds the
 * cluster's limits (SE57).
 */
export type RefusalReason =
  | "malformed"
  | "overLimit"
  | "outOfSequence"
  | "fenced"
  | "overCredit"
  | "outOfOrder"
  | "incompleteReplace"
  | "diverged"
  | "notAnnounced"
  | "overClusterLimit";

/** A rejection in the form that is sent. */
export interface Rejection {
  readonly reason: RejectionReason;
  readonly retryAfterMs: number;
  /** One sentence for the agent's log. */
  readonly detail: string;
  /** An administrator can admit the agent, so its stream may be held until then (SE12). */
  readonly awaitsAdministrator?: boolean;
}

/** The rejection that ends a live session, also for digests that stay unequal (SE27). */
export type SessionEndRejection = Omit<Rejection, "reason"> & { readonly reason: RejectionReason | "DIVERGED" };

/** A refusal in the form that is counted and reported. */
export interface Refusal {
  readonly reason: RefusalReason;
  readonly detail: string;
}

/** The wire number of each reason. */
export const rejectionNumbers: Readonly<Record<SessionEndRejection["reason"], RejectReason>> = {
  ACTIVE_SESSION: RejectReason.ACTIVE_SESSION,
  GRACE_PERIOD: RejectReason.GRACE_PERIOD,
  UNAUTHORIZED: RejectReason.UNAUTHORIZED,
  WRONG_CLUSTER: RejectReason.WRONG_CLUSTER,
  PROTOCOL: RejectReason.PROTOCOL,
  OVERLOADED: RejectReason.OVERLOADED,
  DIVERGED: RejectReason.DIVERGED,
};

/** The fixed retry times of SE12. */
export const retryAfterMsOf = {
  UNAUTHORIZED: 300_000,
  WRONG_CLUSTER: 300_000,
  PROTOCOL: 300_000,
} as const;

/**
 * Retry time of an agent with a valid key that waits for an administrator, and the longest time that its stream is
 * held. Below the idle timeouts of proxies.
 */
export const pendingRetryMs = 15_000;

/**
 * Delay before an agent resumes after a refusal within a session (SE4): short, but not zero, so that a faulty agent
 * does not loop.
 */
export const resumeAfterMs = 1_000;

/** Delay after a refusal that only people can fix, such as a cluster over its limits (SE57). */
export const limitRetryMs = 60_000;

/** The detail of a refusal for too many kinds (SE57). */
export function tooManyKinds(count: number, most: number): string {
  return `the agent announces ${count} kinds, the most is ${most}; follow fewer, or raise --max-cluster-kinds of the hub`;
}
