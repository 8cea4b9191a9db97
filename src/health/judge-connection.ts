// SPDX-License-Identifier: Apache-2.0
// Evaluates HE2's table in its order, from the state and the time. Hysteresis is not part of this.
import { rbacResources } from "../model/rbac-resources.ts";
import type { AttemptRejectionReason } from "./health-input.ts";
import type { ConnectionState, HealthState, HeartbeatMemory, SessionMemory } from "./health-state.ts";
import { type ReasonClass, reasonOfFault, toDetail } from "./reason.ts";

/** The state that follows from the inputs at one time. */
export interface Judgement {
  readonly state: ConnectionState;
  readonly reason: ReasonClass;
  readonly detail: string;
  readonly attemptCount: number;
  readonly nextAttemptMs: number | undefined;
  /** When time alone can change this; undefined: never. */
  readonly dueMs: number | undefined;
}

const permanentReasons: ReadonlySet<AttemptRejectionReason> = new Set(["UNAUTHORIZED", "WRONG_CLUSTER", "PROTOCOL"]);

const unattempted = { detail: "", attemptCount: 0, nextAttemptMs: undefined, dueMs: undefined };

/** The state by HE2. A missing input counts as the worst (HE4): its threshold runs from the session's start. */
export function judgeConnection(memory: HealthState, nowMs: number): Judgement {
  if (memory.session === undefined) return judgeWithoutSession(memory);
  return judgeSession(memory, memory.session, nowMs);
}

function judgeWithoutSession({ lastEnd, rejection }: HealthState): Judgement {
  const attempts = {
    attemptCount: rejection?.attemptCount ?? 0,
    nextAttemptMs: rejection?.retryAtMs,
    dueMs: undefined,
  };
  const rejectionDetail = rejection?.detail ?? "";
  if (lastEnd === undefined) return { state: "neverSeen", reason: "never", detail: rejectionDetail, ...attempts };
  if (rejection === undefined) return { state: "disconnected", ...lastEnd, ...attempts };
  if (permanentReasons.has(rejection.reason))
    return { state: "rejected", reason: "rejected", detail: rejectionDetail, ...attempts };
  if (rejection.reason === "OVERLOADED") {
    return { state: "disconnected", reason: "overloaded", detail: rejectionDetail, ...attempts };
  }
  return { state: "disconnected", ...lastEnd, ...attempts };
}

function judgeSession(memory: HealthState, session: SessionMemory, nowMs: number): Judgement {
  const { heartbeat } = session;
  if (heartbeat !== undefined && heartbeat.apiServer.fault !== "") return judgeLostApiServer(heartbeat);
  const bounds = boundsOf(memory, session);
  const passed = bounds.find(({ dueMs }) => dueMs <= nowMs);
  const ahead = bounds.map(({ dueMs }) => dueMs).filter((dueMs) => dueMs > nowMs);
  const dueMs = ahead.length === 0 ? undefined : Math.min(...ahead);
  if (passed !== undefined && session.isSuperseded)
    return { ...unattempted, state: "disconnected", reason: "agentLost" };
  if (passed !== undefined) return { ...unattempted, state: "stale", reason: passed.reason, dueMs };
  if (memory.pause !== undefined) {
    const { by } = memory.pause;
    return { ...unattempted, state: "stale", reason: "paused", detail: by === "" ? "" : `by ${by}`, dueMs };
  }
  const isLive = heartbeat !== undefined && session.isProven && hasGrants(memory, session);
  return { ...unattempted, state: isLive ? "live" : "catchingUp", reason: "none", dueMs };
}

function judgeLostApiServer({ atMs, apiServer }: HeartbeatMemory): Judgement {
  const { fault, error, attemptCount, retryInMs } = apiServer;
  return {
    state: "disconnected",
    reason: reasonOfFault(fault),
    detail: toDetail(error),
    attemptCount,
    nextAttemptMs: atMs + retryInMs,
    dueMs: undefined,
  };
}

/** When each input reaches its threshold, most serious reason first. */
function boundsOf(
  memory: HealthState,
  session: SessionMemory,
): readonly { readonly reason: ReasonClass; readonly dueMs: number }[] {
  const { heartbeatIntervalCount, staleAfterMs, grantsBehindMs } = memory.thresholds;
  const { heartbeat, beganMs, heartbeatMs } = session;
  const heardMs = heartbeat?.atMs ?? beganMs;
  const waitsSinceMs =
    heartbeat?.oldestWaitingMs === undefined ? Number.POSITIVE_INFINITY : heartbeat.atMs - heartbeat.oldestWaitingMs;
  const missed = { reason: "heartbeatMissed", dueMs: heardMs + heartbeatIntervalCount * heartbeatMs } as const;
  // A paused cluster sends no rows, so none is late (HE16).
  if (memory.pause !== undefined) return [missed];
  return [
    missed,
    { reason: "backlog", dueMs: waitsSinceMs + staleAfterMs },
    { reason: "grantsBehind", dueMs: grantsAsOfMs(memory, session) + grantsBehindMs },
  ];
}

/**
 * Time as of which the oldest grants are current. A watched kind is as fresh as the heartbeats; one not reported in
 * this session is as old as the session.
 */
function grantsAsOfMs({ kinds }: HealthState, session: SessionMemory): number {
  const asOfs = rbacResources.map((resource) => {
    const record = kinds.get(resource);
    if (record?.epoch !== session.epoch) return session.beganMs;
    return record.isFollowed ? Number.POSITIVE_INFINITY : (record.asOfMs ?? session.beganMs);
  });
  return Math.min(...asOfs);
}

/** True when every RBAC kind was reported in this session and listed completely. */
function hasGrants({ kinds }: HealthState, session: SessionMemory): boolean {
  return rbacResources.every((resource) => {
    const record = kinds.get(resource);
    return record?.epoch === session.epoch && record.asOfMs !== undefined;
  });
}
