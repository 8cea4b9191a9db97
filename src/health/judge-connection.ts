// SPDX-License-Identifier: Apache-2.0
// The rows of HE2's table, in its order, from what is remembered and the time. Hysteresis is not in here.
import { rbacResources } from "../model/rbac-resources.ts";
import type { RejectionReason } from "./health-input.ts";
import type { ConnectionState, HealthState, HeartbeatMemory, SessionMemory } from "./health-state.ts";
import { type ReasonClass, reasonOfFault, toDetail } from "./reason.ts";

/** What the inputs say at one moment. */
export interface Judgement {
  readonly state: ConnectionState;
  readonly reason: ReasonClass;
  readonly detail: string;
  readonly attemptCount: number;
  readonly nextAttemptMs: number | undefined;
  /** When time alone may change this; undefined = never. */
  readonly dueMs: number | undefined;
}

const incurable: ReadonlySet<RejectionReason> = new Set(["UNAUTHORIZED", "WRONG_CLUSTER", "PROTOCOL"]);

const unattempted = { detail: "", attemptCount: 0, nextAttemptMs: undefined, dueMs: undefined };

/** The state by HE2. Whatever is missing counts as the worst it can be (HE4): a bound that nothing resets runs from the session's start. */
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
  const said = rejection?.detail ?? "";
  if (lastEnd === undefined) return { state: "neverSeen", reason: "never", detail: said, ...attempts };
  if (rejection === undefined) return { state: "disconnected", ...lastEnd, ...attempts };
  if (incurable.has(rejection.reason)) return { state: "rejected", reason: "rejected", detail: said, ...attempts };
  if (rejection.reason === "OVERLOADED") {
    return { state: "disconnected", reason: "overloaded", detail: said, ...attempts };
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

/** When each input is at its bound, the gravest reason first. */
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
  // Of a paused cluster no rows are wanted, so none is late (HE16).
  if (memory.pause !== undefined) return [missed];
  return [
    missed,
    { reason: "backlog", dueMs: waitsSinceMs + staleAfterMs },
    { reason: "grantsBehind", dueMs: grantsAsOfMs(memory, session) + grantsBehindMs },
  ];
}

/** The moment of which the oldest grants are. A kind that a watch follows is as fresh as the heartbeats; one that nobody spoke of in this session, as old as it. */
function grantsAsOfMs({ kinds }: HealthState, session: SessionMemory): number {
  const asOfs = rbacResources.map((resource) => {
    const record = kinds.get(resource);
    if (record?.epoch !== session.epoch) return session.beganMs;
    return record.isFollowed ? Number.POSITIVE_INFINITY : (record.asOfMs ?? session.beganMs);
  });
  return Math.min(...asOfs);
}

/** True once each RBAC kind was spoken of in this session and has a complete picture. */
function hasGrants({ kinds }: HealthState, session: SessionMemory): boolean {
  return rbacResources.every((resource) => {
    const record = kinds.get(resource);
    return record?.epoch === session.epoch && record.asOfMs !== undefined;
  });
}
