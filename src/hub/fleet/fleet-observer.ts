// SPDX-License-Identifier: Apache-2.0
// What the hub's end of the sessions tells whoever judges the health of clusters. It tells facts and judges nothing.
import type { HeartbeatFacts, KindFacts } from "../../session/hub/parsed-request.ts";
import type { LossReason, RejectionReason } from "../../session/hub/session-rejections.ts";
import type { TunnelFailure } from "../../session/tunnel/tunnel.ts";

export type { HeartbeatFacts, KindFacts, ReportedFollowing } from "../../session/hub/parsed-request.ts";
export type { LossReason, RejectionReason } from "../../session/hub/session-rejections.ts";

/** One accepted session: who, from where, since when. */
export interface SessionFacts {
  readonly cluster: string;
  /** "" collects; only its sessions send rows, kind statuses and digests. */
  readonly shard: string;
  readonly agentId: string;
  readonly agentVersion: string;
  readonly incarnation: string;
  /** Where the stream comes from, for people. */
  readonly address: string;
  readonly epoch: number;
  /** By the hub's wall clock. */
  readonly connectedAtMs: number;
  /** Two of these without a heartbeat end the session (SE29). */
  readonly heartbeatMs: number;
}

/** How a session came to its end. */
export type ObservedEnding =
  /** The agent said Goodbye; the claim is free. */
  | { readonly kind: "left"; readonly reason: string }
  /** Anything else. Others wait for the grace period (SE10). `reason` is one of a few fixed words, `detail` a sentence. */
  | { readonly kind: "lost"; readonly reason: LossReason; readonly detail: string };

/** An attempt that was not accepted. It changed nothing of the cluster (SE7); whether one of its sessions lives is known from the others. */
export interface RejectionFacts {
  /** What the Hello claimed, a cluster id in form; it need not be registered. */
  readonly cluster: string;
  readonly shard: string;
  readonly agentId: string;
  readonly address: string;
  readonly reason: RejectionReason;
  readonly retryAfterMs: number;
  readonly detail: string;
  /** True once the agent proved a key of this cluster: only then does the rejection say something of the cluster's own agent. */
  readonly isProven: boolean;
  /** The uid of its cluster, as its Hello says. */
  readonly clusterUid?: string;
}

/** What a comparison of digests showed (SE23): kinds whose rows are proven equal at this moment, and kinds that differ and are being mended. */
export interface ComparisonFacts {
  readonly equal: readonly string[];
  readonly differing: readonly string[];
}

/** What a flush brought of one kind. */
export interface AppliedKind {
  /** The text of the resource id. */
  readonly resource: string;
  /** Rows added, changed and removed. */
  readonly changeCount: number;
  /** Of its batches as they came. */
  readonly bytes: number;
}

/** What a session sent: the bytes of each message as it comes, the objects of a flush once it is durable. One of the two is 0. */
export interface ReceivedFacts {
  readonly bytes: number;
  /** Rows and deletes, whether they changed anything or not. */
  readonly objectCount: number;
}

/** A flush that is durable and visible. */
export interface AppliedFacts {
  readonly seq: number;
  /** How old its content was when it arrived. */
  readonly collectedMsAgo: number;
  /** Empty for what was there already. */
  readonly kinds: readonly AppliedKind[];
}

/**
 * Told synchronously and in order, per session: `began` first, `ended` once and last. Every call says `nowMs`, the hub's
 * monotonic time of the fact. Implementations return quickly and do not throw; nothing here waits for them.
 */
export interface FleetObserver {
  /**
   * Accepted; the Welcome is on its way. Nothing is proven equal yet, and no status is known. `kinds`: those that the agent names and those of which
   * the hub holds rows; what was known of any other is of the past.
   */
  began(session: SessionFacts, nowMs: number, kinds?: ReadonlySet<string>): void;
  ended(session: SessionFacts, ending: ObservedEnding, nowMs: number): void;
  rejected(attempt: RejectionFacts, nowMs: number): void;
  heartbeat(session: SessionFacts, heartbeat: HeartbeatFacts, nowMs: number): void;
  /** Every kind after the Welcome, later those that changed. */
  kindStatuses(session: SessionFacts, kinds: readonly KindFacts[], nowMs: number): void;
  compared(session: SessionFacts, comparison: ComparisonFacts, nowMs: number): void;
  applied(session: SessionFacts, flush: AppliedFacts, nowMs: number): void;
  received(session: SessionFacts, received: ReceivedFacts, nowMs: number): void;
  /** Place in the line of first syncs, 0 = not waiting (SE22). */
  queued(session: SessionFacts, position: number, nowMs: number): void;
  /** Tunnels that the agent was asked for, and whose end it could not tell in them (TU4). */
  tunnelsFailed(session: SessionFacts, failures: readonly TunnelFailure[], nowMs: number): void;
}

/** An observer that takes note of nothing. */
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
