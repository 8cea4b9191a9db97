// SPDX-License-Identifier: Apache-2.0
// Who may have the session of a (cluster, shard), decided from the lease and from how the session before it ended.
import type { Rejection } from "./session-words.ts";

/** How the newest session of a (cluster, shard) stands in the store. */
export interface SessionRecord {
  readonly agentId: string;
  readonly state: "live" | "lost" | "left";
}

/** What the store answered to the agent's wish for the lease. */
export type LeaseAnswer =
  | { readonly kind: "held" }
  | { readonly kind: "taken"; readonly holder: string; readonly expiresInMs: number };

/** Whether the agent has the claim; if not, what it is told. */
export type ClaimDecision =
  /** `isReclaim`: the same agent had it before, and an older session of it has to end (SE10). */
  | { readonly kind: "granted"; readonly isReclaim: boolean }
  | { readonly kind: "refused"; readonly rejection: Rejection };

/** The name of a claim's lease. Neither part can hold "/" unescaped: the cluster is a DNS label, the shard stands last. */
export function claimName(cluster: string, shard: string): string {
  return `session/${cluster}/${shard}`;
}

/**
 * How long a claim is held without renewal while its session lives: one heartbeat more than silence may last (SE29), so that the claim
 * of a session never runs out before the session.
 */
export function leaseMsOf(heartbeatMs: number): number {
  return 3 * heartbeatMs;
}

/** SE9 and SE10. A lease that is taken belongs to a live session, or to one that was lost and whose grace period runs. */
export function decideClaim(
  agentId: string,
  lease: LeaseAnswer,
  newest: SessionRecord | undefined,
  leaseMs: number,
): ClaimDecision {
  if (lease.kind === "held") return { kind: "granted", isReclaim: newest?.agentId === agentId };
  const isLost = newest?.state === "lost" && newest.agentId === lease.holder;
  const rejection: Rejection = isLost
    ? {
        reason: "GRACE_PERIOD",
        retryAfterMs: Math.ceil(lease.expiresInMs),
        detail: `agent ${lease.holder} was lost; another one may claim the cluster in ${Math.ceil(lease.expiresInMs)} ms`,
      }
    : {
        reason: "ACTIVE_SESSION",
        retryAfterMs: leaseMs,
        detail: `agent ${lease.holder} has a live session for this cluster`,
      };
  return { kind: "refused", rejection };
}
