// SPDX-License-Identifier: Apache-2.0
// The events of agents' sessions, as the hub's side publishes them. They judge nothing.

import type { AccessReportFacts, ReviewAnswer } from "../../session/access-samples/access-sample.ts";
import type { HintAnswer } from "../../session/hints/hint.ts";
import type { HeartbeatFacts, KindFacts } from "../../session/hub/parsed-request.ts";
import type { LossReason, Refusal, RejectionReason } from "../../session/hub/session-rejections.ts";
import type { TunnelFailure } from "../../session/tunnel/tunnel.ts";

export type { HeartbeatFacts, KindFacts } from "../../session/hub/parsed-request.ts";
export type { LossReason, RejectionReason } from "../../session/hub/session-rejections.ts";

/** The identity, origin and start of one accepted session. */
export interface SessionFacts {
  readonly cluster: string;
  /** The shard "" collects: only its sessions send rows, kind statuses and digests. */
  readonly shard: string;
  readonly agentId: string;
  readonly agentVersion: string;
  readonly incarnation: string;
  /** The remote address of the stream, for display. */
  readonly address: string;
  readonly epoch: number;
  /** In the hub's wall-clock time. */
  readonly connectedAtMs: number;
  /** The session ends after two intervals without a heartbeat (SE29). */
  readonly heartbeatMs: number;
}

/** The way a session ended. */
export type ObservedEnding =
  /** The agent sent Goodbye. The claim is free. */
  | { readonly kind: "left"; readonly reason: string }
  /**
   * Any other end. Other agents wait for the grace period (SE10). `reason` is one of a few fixed words, `detail` a
   * sentence.
   */
  | { readonly kind: "lost"; readonly reason: LossReason; readonly detail: string };

/**
 * An attempt that was rejected. It changed nothing of the cluster (SE7), and is no evidence about the cluster's other
 * sessions.
 */
export interface RejectionFacts {
  /** The cluster id in the Hello. Its syntax is valid; it need not be registered. */
  readonly cluster: string;
  readonly shard: string;
  readonly agentId: string;
  readonly address: string;
  readonly reason: RejectionReason;
  readonly retryAfterMs: number;
  readonly detail: string;
  /**
   * True if the agent proved a key of this cluster. Only then is the rejection evidence about the cluster's own agent.
   */
  readonly isProven: boolean;
  /** The uid in the Hello. */
  readonly clusterUid?: string;
}

/**
 * The result of a digest comparison (SE23): kinds whose rows are proven equal at this moment, and kinds that differ and
 * are being repaired.
 */
export interface ComparisonFacts {
  readonly equal: readonly string[];
  readonly differing: readonly string[];
}

/** The changes of one kind in a flush. */
export interface AppliedKind {
  /** The text of the resource id. */
  readonly resource: string;
  /** Rows added, changed and removed. */
  readonly changeCount: number;
  /** The size of its batches as received. */
  readonly bytes: number;
}

/**
 * The amount received in a session: the bytes of each message on arrival, the objects of a flush once it is durable.
 * One of the two is 0.
 */
export interface ReceivedFacts {
  readonly bytes: number;
  /** Rows and deletes, including those that changed nothing. */
  readonly objectCount: number;
}

/** A flush that is durable and visible. */
export interface AppliedFacts {
  readonly seq: number;
  /** The age of its content on arrival. */
  readonly collectedMsAgo: number;
  /** Empty for a duplicate flush. */
  readonly kinds: readonly AppliedKind[];
}

/** `nowMs` is the hub's monotonic time of the event. */
interface OfSession {
  readonly session: SessionFacts;
  readonly nowMs: number;
}

/** `cluster` is "" unless the stream was accepted: any client can name a cluster. */
interface OfStream {
  readonly cluster: string;
  readonly address: string;
  readonly nowMs: number;
}

/** The contents of each kind of event. In order per session: `began` first, `ended` once and last. */
export interface SessionEvents {
  /**
   * The session was accepted, and the Welcome is about to be sent. Nothing is proven equal yet, and no status is known.
   * `kinds` are those in the Hello and those with rows at the hub; facts about any other kind are outdated.
   */
  readonly began: OfSession & { readonly kinds?: ReadonlySet<string> };
  readonly ended: OfSession & { readonly ending: ObservedEnding };
  readonly rejected: { readonly attempt: RejectionFacts; readonly nowMs: number };
  readonly heartbeat: OfSession & { readonly heartbeat: HeartbeatFacts };
  /** Every kind after the Welcome, then the changed ones. */
  readonly kindStatuses: OfSession & { readonly kinds: readonly KindFacts[] };
  readonly compared: OfSession & { readonly comparison: ComparisonFacts };
  /** The rows of the RBAC kinds are proven equal (L2). Published again with each later status or comparison. */
  readonly grantsProven: OfSession;
  readonly applied: OfSession & { readonly flush: AppliedFacts };
  readonly received: OfSession & { readonly received: ReceivedFacts };
  /** The position in the queue of first syncs; 0 = not waiting (SE22). */
  readonly queued: OfSession & { readonly position: number };
  /** Requested tunnels whose failure the agent could not report inside the tunnel (TU4). */
  readonly tunnelsFailed: OfSession & { readonly failures: readonly TunnelFailure[] };
  /** How the cluster authorizes requests (SE62): in each session once it is known, then after each check. */
  readonly accessReported: OfSession & { readonly report: AccessReportFacts };
  /** The cluster's own answers to requests that this hub asked about (SE63). */
  readonly accessReviewed: OfSession & { readonly answer: ReviewAnswer };
  /** What became of hints that this hub sent (SE65). */
  readonly hintsAnswered: OfSession & { readonly answers: readonly HintAnswer[] };
  /** A message was refused as a whole (N-25). */
  readonly messageRefused: OfStream & { readonly refusal: Refusal };
  /** A message is of a type unknown to this build (SE3). */
  readonly messageUnknown: OfStream;
}

/** One event of the hub's sessions. */
export type FleetSessionEvent = {
  [Kind in keyof SessionEvents]: { readonly kind: Kind } & SessionEvents[Kind];
}[keyof SessionEvents];

/** Functions for some kinds of event. They must return quickly: the session waits for them. */
export type SessionHandlers = { readonly [Kind in keyof SessionEvents]?: (event: SessionEvents[Kind]) => void };
