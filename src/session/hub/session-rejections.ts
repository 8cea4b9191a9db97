// SPDX-License-Identifier: Apache-2.0
// The words with which the hub's end says why; metrics, logs and health show them as they are.
import { RejectReason } from "../../gen/flotilla/session/v1/session_pb.ts";

/** The reasons of a rejection, as the wire has them (SE12). */
export type RejectionReason =
  | "ACTIVE_SESSION"
  | "GRACE_PERIOD"
  | "UNAUTHORIZED"
  | "WRONG_CLUSTER"
  | "PROTOCOL"
  | "OVERLOADED";

/**
 * Why a session was lost: the stream broke, two heartbeats did not come, the agent sent what is refused (SE4), its digests
 * could not be matched (SE27), its key was revoked or the cluster removed, a newer session of the same agent or another holder
 * took the claim, the hub's own store failed, or the hub closes.
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
 * Why a message was refused whole (SE4): bytes that do not decode; over a limit; a gap in its sequence; an outdated epoch; more than the
 * credit; not allowed in this state or for this shard; a bucket replaced without a completed list (SE26); digests that stay unequal (SE27); of a kind
 * that the agent has not named (SE56); more than the cluster may have (SE57).
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

/** A rejection as it is sent. */
export interface Rejection {
  readonly reason: RejectionReason;
  readonly retryAfterMs: number;
  /** One sentence for the agent's log. */
  readonly detail: string;
  /** An administrator can let the agent in, so that its stream may be held until then (SE12). */
  readonly awaitsAdministrator?: boolean;
}

/** What ends a session that was live: a rejection, or that its digests could not be matched (SE27). */
export type LastWord = Omit<Rejection, "reason"> & { readonly reason: RejectionReason | "DIVERGED" };

/** A refusal as it is counted and told. */
export interface Refusal {
  readonly reason: RefusalReason;
  readonly detail: string;
}

/** The number on the wire of each reason. */
export const rejectionNumbers: Readonly<Record<LastWord["reason"], RejectReason>> = {
  ACTIVE_SESSION: RejectReason.ACTIVE_SESSION,
  GRACE_PERIOD: RejectReason.GRACE_PERIOD,
  UNAUTHORIZED: RejectReason.UNAUTHORIZED,
  WRONG_CLUSTER: RejectReason.WRONG_CLUSTER,
  PROTOCOL: RejectReason.PROTOCOL,
  OVERLOADED: RejectReason.OVERLOADED,
  DIVERGED: RejectReason.DIVERGED,
};

/** What SE12 asks an agent to wait, where the time is a fixed one. */
export const retryAfterMsOf = {
  UNAUTHORIZED: 300_000,
  WRONG_CLUSTER: 300_000,
  PROTOCOL: 300_000,
} as const;

/** The same for an agent with a right key that an administrator's word lets in: and how long its stream is held at the most. Within the idle times of proxies. */
export const pendingRetryMs = 15_000;

/** After a refusal within a session the agent resumes (SE4): soon, and not at once, so that a faulty one does not spin. */
export const resumeAfterMs = 1_000;

/** After a refusal that only people can cure, such as a cluster that is over its limits (SE57): soon enough after they have. */
export const limitRetryMs = 60_000;

/** Why an agent that names so many kinds is refused (SE57). */
export function tooManyKinds(count: number, most: number): string {
  return `the agent announces ${count} kinds, the most is ${most}; follow fewer, or raise --max-cluster-kinds of the hub`;
}
