// SPDX-License-Identifier: Apache-2.0
// A session after Welcome: flushes by pace and credit, digests, heartbeats, deadlines.
import { type FlushPace, nextFlushMs, paceAfterFlush } from "./flush-pace.ts";
import type { HubMessage, SessionConfig, WelcomeMessage } from "./parse-response.ts";
import type { AgentSessionFacts, SessionEffect, SessionEvent, SessionOptions } from "./session-event.ts";
import { type AgentLiveState, type AgentSessionStep, end, endAtFault, leave, silence } from "./session-state.ts";

/** Heartbeat intervals of silence before the session ends (SE29). */
const silentHeartbeatCount = 2;

function heartbeat(number: number): SessionEffect {
  return { kind: "send", intent: { kind: "heartbeat", number } };
}

const sendRoot: SessionEffect = { kind: "send", intent: { kind: "root" } };
const sendKinds: SessionEffect = { kind: "send", intent: { kind: "kinds", all: true } };
const sendCompleted: SessionEffect = { kind: "send", intent: { kind: "kinds", all: false } };
const sendChangedStatuses: SessionEffect = { kind: "send", intent: { kind: "statuses", all: false } };
const sendAccessReport: SessionEffect = { kind: "send", intent: { kind: "accessReport" } };

/** Handles Welcome: statuses and the first heartbeat are sent at once, not an interval later (N-7). */
export function openLive(
  pace: FlushPace,
  welcome: WelcomeMessage,
  facts: AgentSessionFacts,
  options: SessionOptions,
): AgentSessionStep {
  const { heartbeatMs, limits, config, epoch, durableIncarnation, durableSeq, heldResources } = welcome;
  const { nowMs } = facts;
  const syncIntervalMs = config.syncIntervalMs ?? options.syncIntervalMs;
  const session: AgentLiveState = {
    kind: "live",
    pace,
    epoch,
    sinceMs: nowMs,
    maxMessageBytes: limits.maxMessageBytes,
    maxJoinedBytes: limits.maxJoinedBytes,
    heartbeatMs,
    heartbeatNumber: 1,
    nextHeartbeatMs: nowMs + heartbeatMs,
    heardAtMs: nowMs,
    heardCount: 0,
    syncIntervalMs,
    nextScanMs: nowMs + syncIntervalMs,
    isPaused: config.isPaused ?? false,
    flush: "idle",
    hasLeftOver: false,
    repair: "none",
    isKindsAsked: false,
    creditPosition: 0,
  };
  const effects: SessionEffect[] = [
    { kind: "configure", config },
    { kind: "setCredit", byteCount: limits.creditBytes },
    { kind: "resume", durableIncarnation, durableSeq },
    { kind: "send", intent: { kind: "statuses", all: true } },
    heartbeat(1),
    sendAccessReport,
  ];
  if (heldResources.length > 0) effects.push({ kind: "noteHeld", resources: heldResources });
  return { session, effects };
}

/** Handles one event of a live session. The caller handles `leave`. */
export function stepLive(
  session: AgentLiveState,
  event: Exclude<SessionEvent, { kind: "leave" }>,
  facts: AgentSessionFacts,
  options: SessionOptions,
): AgentSessionStep {
  switch (event.kind) {
    case "message":
      return takeLive(
        { ...session, heardAtMs: facts.nowMs, heardCount: session.heardCount + 1 },
        event.message,
        facts,
        options,
      );
    case "tick":
      return tick(session, facts, options);
    case "rowsChanged":
      return withFlush(session, [], facts, options);
    case "statusChanged":
      return { session, effects: [sendChangedStatuses] };
    case "apiServerChanged":
      return beat(session, facts.nowMs + session.heartbeatMs);
    case "tunnelFailed":
      return { session, effects: [{ kind: "send", intent: { kind: "tunnelFailures", failures: [event.failure] } }] };
    case "accessChecked":
      return { session, effects: [sendAccessReport] };
    case "accessReviewed":
      return { session, effects: [{ kind: "send", intent: { kind: "accessVerdicts", answer: event.answer } }] };
    case "hintAnswered":
      return { session, effects: [{ kind: "send", intent: { kind: "hintAnswers", answers: [event.answer] } }] };
    case "listCompleted":
      // The hub accepts digests and replacements only of kinds with a complete status, so the statuses are sent first.
      return { session, effects: [sendChangedStatuses, ...(session.isPaused ? [] : [sendCompleted])] };
    case "resumed": {
      // Rows that changed meanwhile are sent first, then the digest that proves equality. Until then the cluster is not
      // live (U-53).
      if (event.outcome === "resumed" && facts.hasWaiting && !session.isPaused)
        return withFlush({ ...session, repair: session.flush === "idle" ? "asked" : "sending" }, [], facts, options);
      const digests = [event.outcome === "resumed" ? sendRoot : sendCompleted];
      return withFlush(session, session.isPaused ? [] : digests, facts, options);
    }
    case "flushBuilt":
      if (event.isEmpty) return mended({ ...session, flush: "idle", hasLeftOver: false }, facts);
      return {
        session: { ...session, flush: "ready", hasLeftOver: event.isCut },
        effects: [{ kind: "send", intent: { kind: "flush" } }],
      };
    case "sent":
      if (event.what === "flush") {
        const { session: next, effects } = mended({ ...session, flush: "idle" }, facts);
        return withFlush(next, effects, facts, options);
      }
      return { session: event.what === "part" ? { ...session, heardAtMs: facts.nowMs } : session, effects: [] };
    case "signed":
      return { session, effects: [] };
    case "streamEnded":
      return end(session, { kind: "lost", error: event.error });
  }
}

/** When a live session needs its next tick. */
export function liveWakeAtMs(session: AgentLiveState, facts: AgentSessionFacts, options: SessionOptions): number {
  const times = [session.nextHeartbeatMs, silentAtMs(session)];
  if (!session.isPaused) times.push(session.nextScanMs);
  if (canFlush(session, facts)) times.push(flushAtMs(session, facts, options));
  return Math.min(...times);
}

function silentAtMs(session: AgentLiveState): number {
  return session.heardAtMs + silentHeartbeatCount * session.heartbeatMs;
}

function canFlush(session: AgentLiveState, facts: AgentSessionFacts): boolean {
  return session.flush === "idle" && !session.isPaused && facts.hasWaiting && facts.hasCredit;
}

/** A right that was taken away is not delayed by other changes (SE18). */
function flushAtMs(session: AgentLiveState, facts: AgentSessionFacts, options: SessionOptions): number {
  return nextFlushMs(session.pace, session.hasLeftOver || facts.hasWaitingGrants, options);
}

/** Adds the next flush to the effects if it is due (SE18). */
function withFlush(
  session: AgentLiveState,
  effects: readonly SessionEffect[],
  facts: AgentSessionFacts,
  options: SessionOptions,
): AgentSessionStep {
  if (!canFlush(session, facts) || facts.nowMs < flushAtMs(session, facts, options)) return { session, effects };
  const pace = paceAfterFlush(session.pace, facts.changeCount, facts.nowMs, options);
  const repair = session.repair === "asked" ? "sending" : session.repair;
  return { session: { ...session, pace, repair, flush: "building" }, effects: [...effects, { kind: "buildFlush" }] };
}

/** A step after which the session is still live. */
interface LiveStep extends AgentSessionStep {
  readonly session: AgentLiveState;
}

/**
 * A flush was sent, or was empty. If no rows are left that must precede the digests, the digests follow at once instead
 * of with the next scan (U-53).
 */
function mended(session: AgentLiveState, { hasWaiting }: AgentSessionFacts): LiveStep {
  const { repair, hasLeftOver, isKindsAsked } = session;
  const isOut = repair === "sending" ? !hasLeftOver : isKindsAsked && !hasWaiting;
  return isOut ? prove(session) : { session, effects: [] };
}

/** Sends digests of the rows sent so far: of the kinds if the hub asked for them, else the root. */
function prove(session: AgentLiveState): LiveStep {
  const effects = [session.isKindsAsked ? sendKinds : sendRoot];
  return { session: { ...session, repair: "none", isKindsAsked: false }, effects };
}

/**
 * Rows wait, or are in a flush that is not sent yet. Digests sent before them would report equality although the hub is
 * behind.
 */
function isBehind(session: AgentLiveState, { hasWaiting }: AgentSessionFacts): boolean {
  return !session.isPaused && (hasWaiting || session.flush !== "idle");
}

function tick(session: AgentLiveState, facts: AgentSessionFacts, options: SessionOptions): AgentSessionStep {
  const { nowMs } = facts;
  if (nowMs >= silentAtMs(session))
    return end(session, { kind: "lost", error: silence("live", silentHeartbeatCount * session.heartbeatMs) });
  let next = session;
  const effects: SessionEffect[] = [];
  if (nowMs >= session.nextHeartbeatMs) {
    const beaten = beat(session, after(session.nextHeartbeatMs, nowMs, session.heartbeatMs));
    next = beaten.session;
    effects.push(...beaten.effects);
  }
  if (nowMs >= session.nextScanMs && !session.isPaused) {
    next = { ...next, nextScanMs: after(session.nextScanMs, nowMs, session.syncIntervalMs) };
    if (session.repair === "none" || !isBehind(session, facts)) {
      const proven = prove(next);
      next = proven.session;
      effects.push(...proven.effects);
    }
  }
  return withFlush(next, effects, facts, options);
}

function beat(session: AgentLiveState, nextHeartbeatMs: number): LiveStep {
  const heartbeatNumber = session.heartbeatNumber + 1;
  return { session: { ...session, heartbeatNumber, nextHeartbeatMs }, effects: [heartbeat(heartbeatNumber)] };
}

/** The next time of a periodic action; missed times are skipped. */
function after(dueMs: number, nowMs: number, intervalMs: number): number {
  return Math.max(dueMs + intervalMs, nowMs + intervalMs / 2);
}

function takeLive(
  session: AgentLiveState,
  message: HubMessage,
  facts: AgentSessionFacts,
  options: SessionOptions,
): AgentSessionStep {
  switch (message.kind) {
    case "ack":
      if (message.seq > facts.lastSeq)
        return endAtFault(session, `acknowledged flush ${message.seq} although ${facts.lastSeq} is the newest`);
      return { session, effects: [{ kind: "acknowledge", seq: message.seq }] };
    case "credit":
      return {
        session: { ...session, creditPosition: message.position },
        effects: [{ kind: "setCredit", byteCount: message.byteCount }],
      };
    case "needDigests":
      if (message.level !== "kinds" || !isBehind(session, facts))
        return { session, effects: [{ kind: "send", intent: digestsAskedFor(message) }] };
      return withFlush({ ...session, repair: "asked", isKindsAsked: true }, [], facts, options);
    case "needBuckets":
      return { session: { ...session, repair: "asked" }, effects: [{ kind: "need", need: message }] };
    case "config":
      return configure(session, message.config, facts, options);
    case "drain":
      return leave(session, "the hub closes", { kind: "drained", retryAfterMs: message.retryAfterMs }, facts);
    case "heartbeatAnswer": {
      const beforeCount = session.heardCount - 1;
      if (message.messageCount === 0 || message.messageCount === beforeCount) return { session, effects: [] };
      return endAtFault(
        session,
        `sent ${message.messageCount} messages before its answer to heartbeat ${message.number}, and ${beforeCount} came`,
      );
    }
    case "probeApiServer":
      return { session, effects: [{ kind: "probeApiServer" }] };
    case "openTunnel":
      return { session, effects: [{ kind: "openTunnel", offer: message.offer }] };
    case "reviewAccess":
      return { session, effects: [{ kind: "reviewAccess", order: message.order }] };
    case "objectHint":
      return { session, effects: [{ kind: "takeHint", hint: message.hint }] };
    case "unknown":
      return { session, effects: [{ kind: "countUnknown" }] };
    case "rejected":
      return end(session, { ...message, wasLive: true });
    case "challenge":
    case "welcome":
      return endAtFault(session, `sent ${message.kind} in a live session`);
  }
}

function digestsAskedFor({
  level,
  resources,
}: Extract<HubMessage, { kind: "needDigests" }>): Extract<SessionEffect, { kind: "send" }>["intent"] {
  if (level === "root") return { kind: "root" };
  return level === "kinds" ? { kind: "kinds", all: true } : { kind: "buckets", resources };
}

function configure(
  session: AgentLiveState,
  config: SessionConfig,
  facts: AgentSessionFacts,
  options: SessionOptions,
): AgentSessionStep {
  const isPaused = config.isPaused ?? session.isPaused;
  const syncIntervalMs = config.syncIntervalMs ?? session.syncIntervalMs;
  const hasResumed = session.isPaused && !isPaused;
  const next: AgentLiveState = {
    ...session,
    isPaused,
    syncIntervalMs,
    nextScanMs: Math.min(session.nextScanMs, facts.nowMs + syncIntervalMs),
  };
  const effects: SessionEffect[] = [{ kind: "configure", config }, ...(hasResumed ? [sendCompleted, sendRoot] : [])];
  return withFlush(next, effects, facts, options);
}
