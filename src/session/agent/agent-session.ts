// SPDX-License-Identifier: Apache-2.0
// The agent's side of one session as a state machine (SE2, "Transitions"): events and facts in, the next state and
// effects out.

import { FlotillaError } from "../../base/error.ts";
import { longestRetryAfterMs } from "../../base/time/backoff.ts";
import { quote } from "../../model/text.ts";
import { liveWakeAtMs, openLive, stepLive } from "./agent-live-session.ts";
import type { FlushPace } from "./flush-pace.ts";
import type { HubMessage } from "./parse-response.ts";
import type { AgentSessionFacts, SessionEvent, SessionOptions } from "./session-event.ts";
import { type AgentSession, type AgentSessionStep, end, endAtFault, leave, silence } from "./session-state.ts";

/** Time limit for the hub's answers before the session is live: half as long again as the hub's own limit (SE2). */
export const answerLimitMs = 15_000;

/**
 * Delay after the hub closed a held stream: immediate for a person, and no busy loop with a hub that closes every
 * stream.
 */
const releasedReturnMs = 250;

/** The first step, after a stream was opened. */
export function beginSession(pace: FlushPace, facts: AgentSessionFacts): AgentSessionStep {
  return {
    session: { kind: "greeting", pace, deadlineMs: facts.nowMs + answerLimitMs },
    effects: [{ kind: "send", intent: { kind: "hello" } }],
  };
}

/** Computes the next state and the effects. Total: every event has an outcome in every state. */
export function stepSession(
  session: AgentSession,
  event: SessionEvent,
  facts: AgentSessionFacts,
  options: SessionOptions,
): AgentSessionStep {
  switch (session.kind) {
    case "ended":
      return { session, effects: [] };
    case "leaving":
      return stepLeaving(session, event, facts);
    case "live":
      return event.kind === "leave"
        ? leave(session, event.reason, { kind: "left" }, facts)
        : stepLive(session, event, facts, options);
    case "held":
      return stepHeld(session, event, facts);
    case "greeting":
    case "proving":
      return stepUnproved(session, event, facts, options);
  }
}

/** When the session needs its next tick; undefined if only events change it. */
export function wakeAtMs(session: AgentSession, facts: AgentSessionFacts, options: SessionOptions): number | undefined {
  if (session.kind === "ended") return undefined;
  return session.kind === "live" ? liveWakeAtMs(session, facts, options) : session.deadlineMs;
}

type Unproved = Extract<AgentSession, { kind: "greeting" | "proving" }>;

function stepUnproved(
  session: Unproved,
  event: SessionEvent,
  facts: AgentSessionFacts,
  options: SessionOptions,
): AgentSessionStep {
  switch (event.kind) {
    case "message":
      return takeUnproved(session, event.message, facts, options);
    case "signed":
      if (session.kind === "greeting" || session.isSent) return { session, effects: [] };
      return {
        session: { ...session, isSent: true, deadlineMs: facts.nowMs + answerLimitMs },
        effects: [{ kind: "send", intent: { kind: "proof", signature: event.signature } }],
      };
    case "tick":
      if (facts.nowMs < session.deadlineMs) return { session, effects: [] };
      return end(session, { kind: "lost", error: silence(session.kind, answerLimitMs) });
    case "leave":
      return end(session, { kind: "left" });
    case "streamEnded":
      return end(session, { kind: "lost", error: event.error });
    case "rowsChanged":
    case "statusChanged":
    case "apiServerChanged":
    case "tunnelFailed":
    case "accessChecked":
    case "accessReviewed":
    case "hintAnswered":
    case "listCompleted":
    case "resumed":
    case "flushBuilt":
    case "sent":
      return { session, effects: [] };
  }
}

/** Before Welcome only the next message of the order is accepted (SE2). Unknown messages are skipped (SE3). */
function takeUnproved(
  session: Unproved,
  message: HubMessage,
  facts: AgentSessionFacts,
  options: SessionOptions,
): AgentSessionStep {
  if (message.kind === "unknown") return { session, effects: [{ kind: "countUnknown" }] };
  if (message.kind === "rejected") {
    const { reason, retryAfterMs, detail, isHeld } = message;
    const ending = { kind: "rejected", reason, retryAfterMs, detail, wasLive: false } as const;
    if (!isHeld) return end(session, ending);
    const deadlineMs = facts.nowMs + Math.min(retryAfterMs, longestRetryAfterMs) + answerLimitMs;
    return { session: { kind: "held", pace: session.pace, deadlineMs, ending }, effects: [] };
  }
  if (message.kind === "challenge" && session.kind === "greeting") {
    const { hubName, nonce } = message;
    if (hubName !== options.hubName) return end(session, { kind: "lost", error: wrongHub(hubName, options.hubName) });
    return {
      session: { kind: "proving", pace: session.pace, deadlineMs: facts.nowMs + answerLimitMs, isSent: false },
      effects: [{ kind: "sign", hubName, nonce }],
    };
  }
  if (message.kind === "welcome" && session.kind === "proving" && session.isSent)
    return openLive(session.pace, message, facts, options);
  return endAtFault(session, `sent ${message.kind} while the session was ${session.kind}`);
}

/**
 * Nothing is sent while held. If the hub closes the stream in order, the agent returns at once; if the stream breaks,
 * after the retry time of the rejection (SE12).
 */
function stepHeld(
  session: Extract<AgentSession, { kind: "held" }>,
  event: SessionEvent,
  { nowMs }: AgentSessionFacts,
): AgentSessionStep {
  if (event.kind === "leave") return end(session, { kind: "left" });
  if (event.kind === "message" && event.message.kind === "unknown")
    return { session, effects: [{ kind: "countUnknown" }] };
  if (event.kind === "streamEnded" && event.isInOrder === true)
    return end(session, { ...session.ending, retryAfterMs: releasedReturnMs });
  const isOver = event.kind === "streamEnded" || event.kind === "message";
  if (isOver || (event.kind === "tick" && nowMs >= session.deadlineMs)) return end(session, session.ending);
  return { session, effects: [] };
}

function stepLeaving(
  session: Extract<AgentSession, { kind: "leaving" }>,
  event: SessionEvent,
  { nowMs, lastSeq }: AgentSessionFacts,
): AgentSessionStep {
  if (event.kind === "message" && event.message.kind === "ack" && event.message.seq <= lastSeq)
    return { session, effects: [{ kind: "acknowledge", seq: event.message.seq }] };
  const isOut = event.kind === "sent" && event.what === "goodbye";
  const isLate = event.kind === "tick" && nowMs >= session.deadlineMs;
  if (isOut || isLate || event.kind === "streamEnded") return end(session, session.ending);
  return { session, effects: [] };
}

function wrongHub(hubName: string, joined: string): FlotillaError {
  return new FlotillaError(
    "PERMISSION_DENIED",
    `the hub calls itself ${quote(hubName)}, but this agent joined ${quote(joined)} and proves its key to no other; check the address of the hub`,
  );
}
