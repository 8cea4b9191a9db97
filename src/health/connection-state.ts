// SPDX-License-Identifier: Apache-2.0
// The connection-state machine of one cluster (docs/spec/health.md): inputs and time in, the one value that everybody shows out.
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

/** The state after an input, and when it must be stepped again with `timePassed` if nothing comes before; undefined = never. */
export interface HealthStep {
  readonly state: HealthState;
  readonly nextDueMs: number | undefined;
}

/**
 * One step. Total: every input is taken in every state, and one that does not concern the state changes nothing. A bound that was
 * passed before the input came is judged first, so a late heartbeat does not hide the time without one; who wants to see that
 * change by itself steps with `timePassed` first.
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
      return state.session?.epoch === input.epoch ? applyWord(state, state.session, input, nowMs) : state;
  }
}

/** A pause that is told again is the same one: its rows stay as of when it began. */
function takePause(state: HealthState, pause: PauseFacts | undefined, nowMs: number): PauseMemory | undefined {
  if (pause === undefined) return undefined;
  const heardMs = state.session === undefined ? (state.lastSeenMs ?? nowMs) : vouchedUntilMs(state.session);
  const next = rememberPause(pause, { nowMs, heardMs });
  return state.pause === undefined ? next : { ...state.pause, by: next.by };
}

type Word = Extract<HealthInput, { readonly epoch: number }>;

const reasonOfEnding = { left: "agentLeft", lost: "agentLost", refused: "rejected" } as const;

function applyWord(state: HealthState, session: SessionMemory, input: Word, nowMs: number): HealthState {
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
      return { ...heard, kinds, session: prove({ ...state, kinds }, doubtReturned(state, session, input)) };
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

/** While a session lives, or for the reasons that a rival gets, a rejection says nothing of the cluster (HE10). */
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

/** A kind that differs is no longer proven, and neither is the session until it is mended. */
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

/** What was compared while a kind failed proves nothing of when it is followed again: what happened in between is on its way (HE4). */
function doubtReturned(
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
 * Proven once no first list is under way and every kind that is followed was found equal. A kind that fails stands in nobody's way (HE3), except for a
 * while after the API server came back: deletes of the time in between are unknown until it goes on (HE4).
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

/** Brings what is shown in line with the inputs at this moment: worse at once, better by HE6. */
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

/** When its rows were last current: now while it is live, else when it last was (HE20). */
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
  /** When it is over if nothing more happens. */
  readonly endsMs: number | undefined;
  /** Until when `live` is held back. */
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

/** What was compared before the picture is current again proves nothing of then, so a loss forgets it (HE6). */
function unprove(session: SessionMemory | undefined): SessionMemory | undefined {
  if (session === undefined || (!session.isProven && session.equalKinds.size === 0)) return session;
  return { ...session, isProven: false, equalKinds: new Set() };
}

function earliest(timesMs: readonly (number | undefined)[]): number | undefined {
  const known = timesMs.filter((timeMs) => timeMs !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
