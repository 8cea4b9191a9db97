// SPDX-License-Identifier: Apache-2.0
// Who may have the session of a (cluster, shard), decided from the lease and from how the session before it ended.
import type { Rejection } from "./session-rejections.ts";

/** One process of an agent: where it runs and which of the processes there it is (SE1). */
export interface ClaimingProcess {
  readonly agentId: string;
  readonly incarnation: string;
}

/** How the newest session of a (cluster, shard) stands in the store. */
export interface SessionRecord extends ClaimingProcess {
  readonly state: "live" | "lost" | "left";
}

/** In whose name a lease is held: a process of an agent, at one of the hubs that share the store. */
export interface ClaimHolder extends ClaimingProcess {
  readonly hubId: string;
}

/** What the store answered to the agent's wish for the lease; `holder` is undefined where the text is not one of ours. */
export type LeaseAnswer =
  | { readonly kind: "held" }
  | { readonly kind: "taken"; readonly holder: ClaimHolder | undefined; readonly expiresInMs: number };

/** Whether the agent has the claim; if not, what it is told. */
export type ClaimDecision =
  /** `isTakeover`: the newest session was another process's. */
  | { readonly kind: "granted"; readonly isTakeover: boolean }
  /** The lease is held for whom the agent may follow at once (SE10): it passes on. */
  | { readonly kind: "inherited"; readonly from: ClaimHolder; readonly isTakeover: boolean }
  /** The lease of a session that the store calls live has run out: its hub died with it. It is lost now, and the grace period begins (SE41). */
  | { readonly kind: "orphaned" }
  | { readonly kind: "refused"; readonly rejection: Rejection };

/** A wish for a claim. */
export interface ClaimWish extends ClaimingProcess {
  /** It has proven the second key of its cluster: it follows whoever holds the claim by the first (SE8). */
  readonly isRotated?: boolean;
}

/** The times of claims. */
export interface ClaimTimes {
  readonly heartbeatMs: number;
  readonly leaseMs: number;
}

/** The name of a claim's lease. Neither part can hold "/" unescaped: the cluster is a DNS label, the shard stands last. */
export function claimName(cluster: string, shard: string): string {
  return `session/${cluster}/${shard}`;
}

/** The holder as a lease has it. None of its parts can hold a space (`parse-request.ts`). */
export function toHolderText({ hubId, agentId, incarnation }: ClaimHolder): string {
  return `${hubId} ${agentId} ${incarnation}`;
}

/** Reads what `toHolderText` gave; undefined for anything else. */
export function parseHolderText(text: string): ClaimHolder | undefined {
  const [hubId, agentId, incarnation, ...rest] = text.split(" ");
  if (hubId === undefined || agentId === undefined || incarnation === undefined || rest.length > 0) return undefined;
  return { hubId, agentId, incarnation };
}

/** How often the claim of a session that lives is renewed. Each time is a durable write, and there may be a thousand sessions. */
export function renewalMsOf(heartbeatMs: number): number {
  return 4 * heartbeatMs;
}

/**
 * How long a claim is held without renewal while its session lives: two heartbeats more than a renewal that was just not due and the silence
 * that ends a session (SE29), so that the claim of a session never runs out before the session.
 */
export function leaseMsOf(heartbeatMs: number): number {
  return renewalMsOf(heartbeatMs) + 4 * heartbeatMs;
}

/** When a rival of a live session comes again (SE12): the silence that ends a session is over by then. */
export function rivalRetryMsOf(heartbeatMs: number): number {
  return 3 * heartbeatMs;
}

function isSameProcess(one: ClaimingProcess, other: ClaimingProcess | undefined): boolean {
  return one.agentId === other?.agentId && one.incarnation === other.incarnation;
}

/**
 * SE9, SE10, SE41. A lease that is taken belongs to a live session, or to one that was lost and whose grace period runs. A process takes its own
 * claim back whatever its state; another process at the same place only once the session before it is over.
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

/** What another agent is told while the grace period runs. */
export function waitOut(agentId: string, remainingMs: number): Rejection {
  const retryAfterMs = Math.ceil(remainingMs);
  const detail = `agent ${agentId} was lost; another one may claim the cluster in ${retryAfterMs} ms`;
  return { reason: "GRACE_PERIOD", retryAfterMs, detail };
}
