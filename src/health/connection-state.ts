// SPDX-License-Identifier: Apache-2.0
// The connection-state machine of one cluster (docs/spec/health.md): from inputs and time it computes the one value
// that every view shows.
import type { HealthInput, PauseFacts } from "./health-input.ts";
import {
  type ConnectionState,
  type HealthState,
  isBehind,
  isLoss,
  type PauseMemory,
  rememberPause,
  type SessionMemory,
  vouchedUntilMs,
} from "./health-state.ts";
import { type Judgement, judgeConnection } from "./judge-connection.ts";
import { cutOffFaults, freezeKinds, keepKinds, recordKinds } from "./kind-freshness.ts";
import { reasonOfFault, toDetail } from "./reason.ts";

/** The state after an input, and when to step with `timePassed` if no input comes before; undefined: never. */
export interface HealthStep {
  readonly state: HealthState;
  readonly nextDueMs: number | undefined;
}

/**
 * One step. Total: every input is accepted in every state, and an irrelevant one changes nothing. Thresholds passed
 * before the input are evaluated first, so that a late heartbeat does not hide the gap. To see that change separately,
 * step with `timePassed` first.
 */
export function stepHealth(state: HealthState, input: HealthInput, nowMs: number): HealthStep {
  return settle(applyInput(settle(state, nowMs).state, input, nowMs), nowMs);
}

function applyInput(state: HealthState, input: HealthInput, nowMs: number): HealthState {
  switch (input.kind) {
    case "timePassed":
      return state;
    case "paused":
      return { ...state, pause: takePause(state, input.pause, nowMs) };
    case "unreached":
      if (state.session !== undefined || state.lastSeenMs !== undefined) return state;
      return { ...state, lastEnd: { reason: reasonOfFault(input.fault), detail: toDetail(input.detail) } };
    case "sessionBegan":
      return beginSession(state, input, nowMs);
    case "attemptRejected":
      return rejectAttempt(state, input, nowMs);
    default:
      return state.session?.epoch === input.epoch ? applySessionInput(state, state.session, input, nowMs) : state;
  }
}

/** A repeated pause keeps its start and its rows' time. */
function takePause(state: HealthState, pause: PauseFacts | undefined, nowMs: number): PauseMemory | undefined {
  if (pause === undefined) return undefined;
  const heardMs = state.session === undefined ? (state.lastSeenMs ?? nowMs) : vouchedUntilMs(state.session);
  const next = rememberPause(pause, { nowMs, heardMs });
  return state.pause === undefined ? next : { ...state.pause, by: next.by };
}

type SessionInput = Extract<HealthInput, { readonly epoch: number }>;

const reasonOfEnding = { left: "agentLeft", lost: "agentLost", refused: "rejected" } as const;

function applySessionInput(
  state: HealthState,
  session: SessionMemory,
  input: SessionInput,
  nowMs: number,
): HealthState {
  const heard = { ...state, lastSeenMs: nowMs };
  switch (input.kind) {
    case "sessionBegan":
      return state;
    case "sessionEnded":
      if (input.ending === "superseded") return { ...state, session: { ...session, isSuperseded: true } };
      return {
        ...state,
        session: undefined,
        lastEnd: {
          reason: reasonOfEnding[input.ending],
          detail: toDetail(input.detail),
        },
        kinds: freezeKinds(state.kinds, vouchedUntilMs(session)),
      };
    case "heartbeat": {
      const { apiServer, oldestWaitingMs } = input;
      return { ...heard, session: { ...session, heartbeat: { atMs: nowMs, apiServer, oldestWaitingMs } } };
    }
    case "kindStatuses": {
      const vouchedMs = vouchedUntilMs(session);
      const kinds = recordKinds(state.kinds, input.kinds, { epoch: session.epoch, vouchedMs, nowMs });
      return { ...heard, kinds, session: prove({ ...state, kinds }, unproveReturned(state, session, input)) };
    }
    case "compared":
      return { ...heard, session: compare(state, session, input) };
  }
}

function beginSession(
  state: HealthState,
  { epoch, heartbeatMs, kinds: named }: Extract<HealthInput, { readonly kind: "sessionBegan" }>,
  nowMs: number,
): HealthState {
  if (state.session !== undefined && state.session.epoch >= epoch) return state;
  const frozen = state.session === undefined ? state.kinds : freezeKinds(state.kinds, vouchedUntilMs(state.session));
  const kinds = named === undefined ? frozen : keepKinds(frozen, named);
  return {
    ...state,
    kinds,
    lastSeenMs: nowMs,
    lastEnd: { reason: "agentLost", detail: "" },
    rejection: undefined,
    session: {
      epoch,
      heartbeatMs,
      beganMs: nowMs,
      heartbeat: undefined,
      equalKinds: new Set(),
      isProven: false,
      isSuperseded: false,
    },
  };
}

/**
 * Ignored while a session lives, and for the reasons given to a second agent: it says nothing about the cluster (HE10).
 */
function rejectAttempt(
  state: HealthState,
  { reason, retryAfterMs, detail }: Extract<HealthInput, { readonly kind: "attemptRejected" }>,
  nowMs: number,
): HealthState {
  if (state.session !== undefined || reason === "ACTIVE_SESSION" || reason === "GRACE_PERIOD") return state;
  const attemptCount = (state.rejection?.attemptCount ?? 0) + 1;
  const rejection = { reason, detail: toDetail(detail), retryAtMs: nowMs + retryAfterMs, attemptCount };
  return { ...state, rejection };
}

/** A differing kind is no longer proven equal, nor is the session until the kind is repaired. */
function compare(
  state: HealthState,
  session: SessionMemory,
  { equal, differing }: Extract<HealthInput, { readonly kind: "compared" }>,
): SessionMemory {
  const equalKinds = new Set(session.equalKinds);
  for (const resource of equal) if (state.kinds.has(resource)) equalKinds.add(resource);
  for (const resource of differing) equalKinds.delete(resource);
  return prove(state, { ...session, equalKinds, isProven: session.isProven && differing.length === 0 });
}

/**
 * Comparisons made while a kind failed no longer count once it is followed again: changes in between have not arrived
 * yet (HE4).
 */
function unproveReturned(
  { kinds }: HealthState,
  session: SessionMemory,
  { kinds: reports }: Extract<HealthInput, { readonly kind: "kindStatuses" }>,
): SessionMemory {
  if (session.isProven) return session;
  const equalKinds = new Set(session.equalKinds);
  for (const { resource, state } of reports)
    if (state !== "failed" && kinds.get(resource)?.state === "failed") equalKinds.delete(resource);
  return { ...session, equalKinds };
}

/**
 * Proven when no first list is running and every followed kind was found equal. A failing kind does not prevent it
 * (HE3), except for a grace period after the API server returned: deletes in between are unknown until the kind is
 * followed again (HE4).
 */
function prove({ kinds, thresholds }: HealthState, session: SessionMemory): SessionMemory {
  if (session.isProven) return session;
  const isReturning = (session.heartbeat?.apiServer.sinceMsAgo ?? 0) < thresholds.returnGraceMs;
  let followedCount = 0;
  for (const [resource, record] of kinds) {
    if (record.epoch !== session.epoch) continue;
    if (isReturning && record.state === "failed" && cutOffFaults.has(record.fault)) return session;
    const isFollowed = record.state === "watching" || record.state === "polling";
    if (record.state === "listing" || (isFollowed && !session.equalKinds.has(resource))) return session;
    if (isFollowed) followedCount += 1;
  }
  return followedCount === 0 ? session : { ...session, isProven: true };
}

/** Computes the shown connection from the inputs at this time: worse at once, better by HE6. */
function settle(state: HealthState, nowMs: number): HealthStep {
  const judged = judgeConnection(state, nowMs);
  const isFall = isLoss(judged) && !isLoss(state.shown) && state.shown.state !== "neverSeen";
  const fallsMs = isFall ? [...state.fallsMs, nowMs].slice(-(state.thresholds.flapLimitCount + 1)) : state.fallsMs;
  const flapping = judgeFlapping({ ...state, fallsMs }, nowMs);
  const isHeld = judged.state === "live" && flapping.holdsUntilMs !== undefined;
  const shown = show(state, isHeld ? "catchingUp" : judged.state, judged, { nowMs, isFlapping: flapping.isFlapping });
  const session = isBehind(shown.state) ? unprove(state.session) : state.session;
  const nextDueMs = earliest([judged.dueMs, flapping.endsMs, isHeld ? flapping.holdsUntilMs : undefined]);
  const currentUntilMs = judgeCurrentUntil(state, shown.state, nowMs);
  return { state: { ...state, fallsMs, session, shown, currentUntilMs }, nextDueMs };
}

/** Time up to which its rows were current; undefined while live (HE20). */
function judgeCurrentUntil(
  { shown, session, lastSeenMs, currentUntilMs }: HealthState,
  next: ConnectionState,
  nowMs: number,
): number | undefined {
  if (next === "live") return undefined;
  if (shown.state !== "live") return currentUntilMs;
  const vouchedMs = session === undefined ? nowMs : vouchedUntilMs(session);
  return Math.min(nowMs, vouchedMs, lastSeenMs ?? nowMs);
}

interface Flapping {
  readonly isFlapping: boolean;
  /** When flapping ends without further losses. */
  readonly endsMs: number | undefined;
  /** Time until which `live` is shown as `catchingUp`. */
  readonly holdsUntilMs: number | undefined;
}

function judgeFlapping({ fallsMs, thresholds }: HealthState, nowMs: number): Flapping {
  const [oldestMs = 0] = fallsMs;
  const endsMs = oldestMs + thresholds.flapWindowMs;
  if (fallsMs.length <= thresholds.flapLimitCount || endsMs <= nowMs) {
    return { isFlapping: false, endsMs: undefined, holdsUntilMs: undefined };
  }
  const quietMs = (fallsMs.at(-1) ?? 0) + thresholds.flapQuietMs;
  return { isFlapping: true, endsMs, holdsUntilMs: quietMs > nowMs ? quietMs : undefined };
}

function show(
  { shown }: HealthState,
  state: ConnectionState,
  { reason, detail, attemptCount, nextAttemptMs }: Judgement,
  { nowMs, isFlapping }: { readonly nowMs: number; readonly isFlapping: boolean },
): HealthState["shown"] {
  const sinceMs = state === shown.state ? shown.sinceMs : nowMs;
  const returnedFrom = shown.state === "catchingUp" ? shown.returnedFrom : shown.reason;
  const next = { state, sinceMs, reason, detail, attemptCount, nextAttemptMs, isFlapping };
  return state === "catchingUp" ? { ...next, returnedFrom } : next;
}

/** Comparisons from before a loss prove nothing about the time after it (HE6). */
function unprove(session: SessionMemory | undefined): SessionMemory | undefined {
  if (session === undefined || (!session.isProven && session.equalKinds.size === 0)) return session;
  return { ...session, isProven: false, equalKinds: new Set() };
}

function earliest(timesMs: readonly (number | undefined)[]): number | undefined {
  const known = timesMs.filter((timeMs) => timeMs !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
