// SPDX-License-Identifier: Apache-2.0
// The facts that the hub's side of the sessions reports to the health of clusters. It judges nothing.
import type { HeartbeatFacts, KindFacts } from "../../session/hub/parsed-request.ts";
import type { LossReason, RejectionReason } from "../../session/hub/session-rejections.ts";
import type { TunnelFailure } from "../../session/tunnel/tunnel.ts";

export type { HeartbeatFacts, KindFacts, ReportedFollowing } from "../../session/hub/parsed-request.ts";
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

/**
 * Receives synchronous calls, in order per session: `began` first, `ended` once and last. `nowMs` is the hub's
 * monotonic time of the fact. Implementations return quickly and do not throw; the sessions do not wait for them.
 */
export interface FleetObserver {
  /**
   * The session was accepted, and the Welcome is about to be sent. Nothing is proven equal yet, and no status is known.
   * `kinds` are those in the Hello and those with rows at the hub; facts about any other kind are outdated.
   */
  began(session: SessionFacts, nowMs: number, kinds?: ReadonlySet<string>): void;
  ended(session: SessionFacts, ending: ObservedEnding, nowMs: number): void;
  rejected(attempt: RejectionFacts, nowMs: number): void;
  heartbeat(session: SessionFacts, heartbeat: HeartbeatFacts, nowMs: number): void;
  /** Called with every kind after the Welcome, then with the changed ones. */
  kindStatuses(session: SessionFacts, kinds: readonly KindFacts[], nowMs: number): void;
  compared(session: SessionFacts, comparison: ComparisonFacts, nowMs: number): void;
  applied(session: SessionFacts, flush: AppliedFacts, nowMs: number): void;
  received(session: SessionFacts, received: ReceivedFacts, nowMs: number): void;
  /** The position in the queue of first syncs; 0 = not waiting (SE22). */
  queued(session: SessionFacts, position: number, nowMs: number): void;
  /** Requested tunnels whose failure the agent could not report inside the tunnel (TU4). */
  tunnelsFailed(session: SessionFacts, failures: readonly TunnelFailure[], nowMs: number): void;
}

/** Ignores every call. */
export const silentObserver: FleetObserver = {
  began: () => undefined,
  ended: () => undefined,
  rejected: () => undefined,
  heartbeat: () => undefined,
  kindStatuses: () => undefined,
  compared: () => undefined,
  applied: () => undefined,
  received: () => undefined,
  queued: () => undefined,
  tunnelsFailed: () => undefined,
};
