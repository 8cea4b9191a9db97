// SPDX-License-Identifier: Apache-2.0
// Decides which agent process gets the session of a (cluster, shard), from the lease and from how the previous session
// ended.
import type { Rejection } from "./session-rejections.ts";

/** One process of an agent: the place where it runs, and the process there (SE1). */
export interface ClaimingProcess {
  readonly agentId: string;
  readonly incarnation: string;
}

/** The newest session of a (cluster, shard) in the store. */
export interface SessionRecord extends ClaimingProcess {
  readonly state: "live" | "lost" | "left";
}

/** The holder of a lease: an agent process, at one of the hubs that share the store. */
export interface ClaimHolder extends ClaimingProcess {
  readonly hubId: string;
}

/** The store's answer to a request for the lease. `holder` is undefined if its text is not in our form. */
export type LeaseAnswer =
  | { readonly kind: "held" }
  | { readonly kind: "taken"; readonly holder: ClaimHolder | undefined; readonly expiresInMs: number };

/** Whether the agent gets the claim; if not, its rejection. */
export type ClaimDecision =
  /** `isTakeover`: the newest session was of another process. */
  | { readonly kind: "granted"; readonly isTakeover: boolean }
  /** The lease is held by a process that the agent may succeed at once (SE10): the agent takes it over. */
  | { readonly kind: "inherited"; readonly from: ClaimHolder; readonly isTakeover: boolean }
  /**
   * The lease of a session that the store has as live has expired: its hub died. The session is lost now, and the grace
   * period begins (SE41).
   */
  | { readonly kind: "orphaned" }
  | { readonly kind: "refused"; readonly rejection: Rejection };

/** A request for a claim. */
export interface ClaimWish extends ClaimingProcess {
  /** It proved the second key of its cluster, so it succeeds any holder (SE8). */
  readonly isRotated?: boolean;
}

/** The times of claims. */
export interface ClaimTimes {
  readonly heartbeatMs: number;
  readonly leaseMs: number;
}

/** The name of a claim's lease. It is unambiguous: the cluster is a DNS label without "/", and the shard comes last. */
export function claimName(cluster: string, shard: string): string {
  return `session/${cluster}/${shard}`;
}

/** The holder as stored in a lease. None of its parts can contain a space (`parse-request.ts`). */
export function toHolderText({ hubId, agentId, incarnation }: ClaimHolder): string {
  return `${hubId} ${agentId} ${incarnation}`;
}

/** Parses the result of `toHolderText`; undefined for any other text. */
export function parseHolderText(text: string): ClaimHolder | undefined {
  const [hubId, agentId, incarnation, ...rest] = text.split(" ");
  if (hubId === undefined || agentId === undefined || incarnation === undefined || rest.length > 0) return undefined;
  return { hubId, agentId, incarnation };
}

/**
 * Renewal interval of a live session's claim. Each renewal is a durable write, and there may be a thousand sessions.
 */
export function renewalMsOf(heartbeatMs: number): number {
  return 4 * heartbeatMs;
}

/**
 * Lease time without renewal: one renewal interval, the silence that ends a session (SE29), and two heartbeats as a
 * margin. So a claim never expires before its session.
 */
export function leaseMsOf(heartbeatMs: number): number {
  return renewalMsOf(heartbeatMs) + 4 * heartbeatMs;
}

/** When another agent retries against a live session (SE12): later than the silence that would end that session. */
export function rivalRetryMsOf(heartbeatMs: number): number {
  return 3 * heartbeatMs;
}

function isSameProcess(one: ClaimingProcess, other: ClaimingProcess | undefined): boolean {
  return one.agentId === other?.agentId && one.incarnation === other.incarnation;
}

/**
 * SE9, SE10, SE41. A taken lease belongs to a live session, or to a lost one in its grace period. A process always
 * takes its own claim back. Another process at the same place takes it only once the previous session is over.
 */
export function decideClaim(
  agent: ClaimWish,
  lease: LeaseAnswer,
  newest: SessionRecord | undefined,
  times: ClaimTimes,
): ClaimDecision {
  const isTakeover = newest !== undefined && !isSameProcess(agent, newest);
  const { isRotated = false } = agent;
  if (lease.kind === "held") {
    const isOrphaned = newest?.state === "live" && newest.agentId !== agent.agentId && !isRotated;
    return isOrphaned ? { kind: "orphaned" } : { kind: "granted", isTakeover };
  }
  const { holder } = lease;
  const isLost = newest?.state === "lost" && isSameProcess(newest, holder);
  const isHeir = isSameProcess(agent, holder) || (isLost && holder?.agentId === agent.agentId) || isRotated;
  if (holder !== undefined && isHeir) return { kind: "inherited", from: holder, isTakeover };
  const name = holder?.agentId ?? "another";
  if (isLost) return { kind: "refused", rejection: waitOut(name, lease.expiresInMs) };
  const isAtHome = holder?.agentId === agent.agentId;
  const rejection: Rejection = {
    reason: "ACTIVE_SESSION",
    retryAfterMs: isAtHome ? times.heartbeatMs : rivalRetryMsOf(times.heartbeatMs),
    detail: isAtHome
      ? `another process of agent ${name} has a live session for this cluster`
      : `agent ${name} has a live session for this cluster`,
  };
  return { kind: "refused", rejection };
}

/** The rejection of another agent during the grace period. */
export function waitOut(agentId: string, remainingMs: number): Rejection {
  const retryAfterMs = Math.ceil(remainingMs);
  const detail = `agent ${agentId} was lost; another one may claim the cluster in ${retryAfterMs} ms`;
  return { reason: "GRACE_PERIOD", retryAfterMs, detail };
}
