// SPDX-License-Identifier: Apache-2.0
// The hub's side of one session as a state machine; the rules are in docs/spec/session.md. Pure: events in, effects
// out.
import { unreachable } from "../../base/assert.ts";
import { stepLive } from "./hub-live-session.ts";
import type {
  HubSessionContext,
  HubSessionEffect,
  HubSessionEvent,
  HubSessionState,
  HubSessionStep,
} from "./hub-session-types.ts";
import type { HelloFacts } from "./parsed-request.ts";
import { protocolVersion, silenceMsOf } from "./session-limits.ts";
import { type RefusalReason, type Rejection, resumeAfterMs, retryAfterMsOf } from "./session-rejections.ts";

/** The state of a stream that was just accepted. */
export function openHubSession(context: HubSessionContext, nowMs: number): HubSessionState {
  return { kind: "opened", deadlineAtMs: nowMs + context.limits.greetingMs };
}

const nothing: readonly HubSessionEffect[] = [];

function reject(rejection: Rejection, before: readonly HubSessionEffect[] = nothing): HubSessionStep {
  return {
    state: { kind: "ended" },
    effects: [
      ...before,
      { kind: "send", answer: { kind: "rejected", rejection } },
      { kind: "end", ending: { kind: "never" } },
    ],
  };
}

/** Ends a stream that violated the order of SE2, or sent a message that does not parse. */
function refuse(reason: RefusalReason, detail: string): HubSessionStep {
  const rejection: Rejection = { reason: "PROTOCOL", retryAfterMs: retryAfterMsOf.PROTOCOL, detail };
  return reject(rejection, [{ kind: "countRefusal", refusal: { reason, detail } }]);
}

/** A timeout is no evidence of a wrong protocol: the agent returns soon, not after the time of PROTOCOL (SE12). */
function refuseSlow(detail: string): HubSessionStep {
  const rejection: Rejection = { reason: "PROTOCOL", retryAfterMs: resumeAfterMs, detail };
  return reject(rejection, [{ kind: "countRefusal", refusal: { reason: "outOfOrder", detail } }]);
}

function leave(): HubSessionStep {
  return { state: { kind: "ended" }, effects: [{ kind: "end", ending: { kind: "never" } }] };
}

type MessageEvent = Extract<HubSessionEvent, { kind: "message" }>;

/** Handles a message before Welcome: exactly one kind is allowed in each state (SE2). */
function greet(state: HubSessionState, { message, nowMs }: MessageEvent, context: HubSessionContext): HubSessionStep {
  if (message.kind === "unknown") return { state, effects: [{ kind: "countUnknown" }] };
  if (message.kind === "refused") return refuse(message.refusal.reason, message.refusal.detail);
  if (state.kind === "opened" && message.kind === "hello") {
    const deadlineAtMs = nowMs + context.limits.greetingMs;
    return {
      state: { kind: "challenged", hello: message.hello, nonce: context.nonce, deadlineAtMs },
      effects: [{ kind: "send", answer: { kind: "challenge", nonce: context.nonce } }],
    };
  }
  if (state.kind === "challenged" && message.kind === "proof") {
    const { hello, nonce } = state;
    if (hello.protocol < protocolVersion) return refuseProtocol(state, hello.protocol);
    const { signature } = message;
    return { state: { kind: "deciding", hello }, effects: [{ kind: "decide", hello, nonce, signature }] };
  }
  return refuse("outOfOrder", `${message.kind} came before Welcome, expected ${expectedIn(state)}`);
}

function expectedIn(state: HubSessionState): string {
  if (state.kind === "opened") return "hello";
  return state.kind === "challenged" ? "proof" : "nothing";
}

function refuseProtocol(state: Extract<HubSessionState, { kind: "challenged" }>, theirs: number): HubSessionStep {
  const rejection: Rejection = {
    reason: "PROTOCOL",
    retryAfterMs: retryAfterMsOf.PROTOCOL,
    detail: `the agent uses protocol ${theirs}, this hub needs ${protocolVersion} or later; upgrade the agent`,
  };
  return reject(rejection, [{ kind: "observeRejection", hello: state.hello, rejection }]);
}

function accept(
  hello: Extract<HubSessionState, { kind: "deciding" }>["hello"],
  event: Extract<HubSessionEvent, { kind: "accepted" }>,
  { limits }: HubSessionContext,
): HubSessionStep {
  const { epoch, durableIncarnation, durableSeq, creditBytes, position, isPaused, heldResources, nowMs } = event;
  const durable = durableIncarnation === hello.incarnation ? durableSeq : 0;
  const effects: HubSessionEffect[] = [
    {
      kind: "send",
      answer: { kind: "welcome", epoch, durableIncarnation, durableSeq, creditBytes, isPaused, heldResources },
    },
  ];
  if (position > 0) effects.push({ kind: "send", answer: { kind: "credit", creditBytes, position } });
  return {
    state: {
      kind: "live",
      hello,
      announced: new Set(hello.resources),
      received: durable,
      acked: durable,
      unackedBytes: 0,
      creditBytes,
      highestCreditBytes: creditBytes,
      deadlineAtMs: nowMs + silenceMsOf(limits.heartbeatMs),
      heardCount: 0,
      isDraining: false,
    },
    effects,
  };
}

/** A rejection that an administrator can lift: it is sent, and the stream stays open (SE12). */
function hold(hello: HelloFacts, rejection: Rejection, deadlineAtMs: number): HubSessionStep {
  return {
    state: { kind: "held", deadlineAtMs },
    effects: [
      { kind: "observeRejection", hello, rejection },
      { kind: "send", answer: { kind: "rejected", rejection, isHeld: true } },
    ],
  };
}

/** Every event that ends a held stream closes it in order. The agent takes that as the sign to return. */
function stepHeld(state: Extract<HubSessionState, { kind: "held" }>, event: HubSessionEvent): HubSessionStep {
  switch (event.kind) {
    case "released":
    case "broken":
    case "cut":
    case "drain":
    case "chunk":
      return leave();
    case "message":
      return event.message.kind === "unknown" ? { state, effects: [{ kind: "countUnknown" }] } : leave();
    case "due":
      return event.nowMs < state.deadlineAtMs ? { state, effects: nothing } : leave();
    default:
      return { state, effects: nothing };
  }
}

type EarlyState = Exclude<HubSessionState, { kind: "held" | "live" | "ended" }>;

function stepEarly(state: EarlyState, event: HubSessionEvent, context: HubSessionContext): HubSessionStep {
  switch (event.kind) {
    case "message":
      return greet(state, event, context);
    case "chunk":
      return refuse("outOfOrder", "a chunk came before Welcome");
    case "accepted":
      return state.kind === "deciding" ? accept(state.hello, event, context) : { state, effects: nothing };
    case "rejected": {
      if (state.kind !== "deciding") return { state, effects: nothing };
      const { rejection, heldUntilMs } = event;
      if (heldUntilMs !== undefined) return hold(state.hello, rejection, heldUntilMs);
      return reject(rejection, [{ kind: "observeRejection", hello: state.hello, rejection }]);
    }
    case "due":
      if (state.kind === "deciding" || event.nowMs < state.deadlineAtMs) return { state, effects: nothing };
      return refuseSlow(`${expectedIn(state)} did not come within ${context.limits.greetingMs} ms`);
    case "cut":
      return event.rejection === undefined ? leave() : reject(event.rejection);
    case "broken":
      return leave();
    case "drain":
      return reject({ reason: "OVERLOADED", retryAfterMs: event.retryAfterMs, detail: "the hub is closing" });
    case "flushed":
    case "refused":
    case "credit":
    case "released":
    case "paused":
    case "probeAsked":
    case "tunnelWanted":
    case "reviewWanted":
    case "hintGiven":
      return { state, effects: nothing };
    default:
      return unreachable(event, "event");
  }
}

/**
 * One step. Total: every pair of state and event has an outcome; the table is in `hub-session.table.test.ts`. In
 * `ended` late events have no effect, but the refusal of a flush that was in progress, such as one of a fenced epoch,
 * is still counted (N-25).
 */
export function stepHubSession(
  state: HubSessionState,
  event: HubSessionEvent,
  context: HubSessionContext,
): HubSessionStep {
  if (state.kind === "ended")
    return { state, effects: event.kind === "refused" ? [{ kind: "countRefusal", refusal: event.refusal }] : nothing };
  if (state.kind === "held") return stepHeld(state, event);
  return state.kind === "live" ? stepLive(state, event, context) : stepEarly(state, event, context);
}
