// SPDX-License-Identifier: Apache-2.0
// A live session at the hub: sequence, credit, liveness and ending.
import { unreachable } from "../../base/assert.ts";
import type {
  HubLiveState,
  HubSessionContext,
  HubSessionEffect,
  HubSessionEvent,
  HubSessionStep,
} from "./hub-session-types.ts";
import type { FlushFacts } from "./parsed-request.ts";
import { silenceMsOf } from "./session-limits.ts";
import {
  type LossReason,
  limitRetryMs,
  type Refusal,
  type Rejection,
  resumeAfterMs,
  type SessionEndRejection,
  tooManyKinds,
} from "./session-rejections.ts";

const nothing: readonly HubSessionEffect[] = [];

/** Handles one event of a live session. */
export function stepLive(state: HubLiveState, event: HubSessionEvent, context: HubSessionContext): HubSessionStep {
  const { limits } = context;
  switch (event.kind) {
    case "message":
      return receive(noteMessage(state, event.nowMs, limits.heartbeatMs), event.message, context);
    case "chunk":
      return { state: noteMessage(state, event.nowMs, limits.heartbeatMs), effects: nothing };
    case "flushed":
      return acknowledge(state, event.seq, event.sizeBytes);
    case "refused":
      return refuse(event.refusal);
    case "credit":
      return grant(state, event.creditBytes, event.position);
    case "paused":
      return { state, effects: [{ kind: "send", answer: { kind: "config", isPaused: event.isPaused } }] };
    case "probeAsked":
      return { state, effects: [{ kind: "send", answer: { kind: "probeApiServer" } }] };
    case "tunnelWanted":
      return { state, effects: [{ kind: "send", answer: { kind: "openTunnel", offer: event.offer } }] };
    case "reviewWanted":
      return { state, effects: [{ kind: "send", answer: { kind: "reviewAccess", order: event.order } }] };
    case "hintGiven":
      return { state, effects: [{ kind: "send", answer: { kind: "objectHint", hint: event.hint } }] };
    case "due":
      if (event.nowMs < state.deadlineAtMs) return { state, effects: nothing };
      return lose("heartbeatMissed", `no message came for two heartbeats of ${limits.heartbeatMs} ms`);
    case "broken":
      return lose("streamBroken", event.detail);
    case "cut":
      return lose(event.reason, event.detail, event.rejection);
    case "drain":
      if (state.isDraining) return { state, effects: nothing };
      return {
        state: { ...state, isDraining: true },
        effects: [{ kind: "send", answer: { kind: "drain", retryAfterMs: event.retryAfterMs } }],
      };
    case "accepted":
    case "rejected":
    case "released":
      return { state, effects: nothing };
    default:
      return unreachable(event, "event");
  }
}

/** Any message is a sign of life (SE29), and is counted (SE35). */
function noteMessage(state: HubLiveState, nowMs: number, heartbeatMs: number): HubLiveState {
  return { ...state, deadlineAtMs: nowMs + silenceMsOf(heartbeatMs), heardCount: state.heardCount + 1 };
}

type Message = Extract<HubSessionEvent, { kind: "message" }>["message"];

/** The kinds that a message is about. */
function kindsOf(message: Message): readonly string[] {
  if (message.kind === "flush") return message.flush.parts.map(({ resourceText }) => resourceText);
  if (message.kind === "kindStatuses") return message.kinds.map(({ resource }) => resource);
  if (message.kind !== "digests" || message.digests.depth === "root") return [];
  return message.digests.kinds.map(({ resource }) => resource);
}

function receive(state: HubLiveState, message: Message, context: HubSessionContext): HubSessionStep {
  const unnamed = kindsOf(message).find((resource) => !state.announced.has(resource));
  if (unnamed !== undefined)
    return refuse({ reason: "notAnnounced", detail: `the agent has not named the kind ${unnamed}` });
  switch (message.kind) {
    case "flush":
      return takeFlush(state, message.flush);
    case "heartbeat": {
      const { heartbeat } = message;
      const beforeCount = state.heardCount - 1;
      if (heartbeat.messageCount > 0 && heartbeat.messageCount !== beforeCount) {
        const detail = `the agent sent ${heartbeat.messageCount} messages before heartbeat ${heartbeat.number}, the hub received ${beforeCount}`;
        return refuse({ reason: "outOfSequence", detail });
      }
      const answer = { kind: "heartbeatAnswer", number: heartbeat.number } as const;
      return {
        state,
        effects: [
          { kind: "send", answer },
          { kind: "heartbeat", heartbeat },
        ],
      };
    }
    case "kindsFollowed":
      return announce(state, message.resources, context);
    case "kindStatuses":
      return collecting(state, { kind: "statuses", kinds: message.kinds });
    case "digests": {
      const { digests } = message;
      if (digests.seq === state.received) return collecting(state, { kind: "compare", digests });
      const detail = `digests of flush ${digests.seq} came after flush ${state.received}`;
      return refuse({ reason: "outOfSequence", detail });
    }
    case "tunnelFailures":
      return { state, effects: [{ kind: "tunnelFailures", failures: message.failures }] };
    case "accessReport":
      return { state, effects: [{ kind: "accessReport", report: message.report }] };
    case "accessVerdicts":
      return { state, effects: [{ kind: "accessVerdicts", answer: message.answer }] };
    case "hintAnswers":
      return { state, effects: [{ kind: "hintAnswers", answers: message.answers }] };
    case "goodbye":
      return { state: { kind: "ended" }, effects: [{ kind: "end", ending: { kind: "left", reason: message.reason } }] };
    case "unknown":
      return { state, effects: [{ kind: "countUnknown" }] };
    case "refused":
      return refuse(message.refusal);
    case "hello":
    case "proof":
      return refuse({ reason: "outOfOrder", detail: `${message.kind} came again after Welcome` });
    default:
      return unreachable(message, "message");
  }
}

/** Adds kinds to the session (SE56), unless they exceed the cluster's limit (SE57). */
function announce(
  state: HubLiveState,
  resources: readonly string[],
  { maxKindCount }: HubSessionContext,
): HubSessionStep {
  const announced = state.announced.union(new Set(resources));
  if (announced.size > maxKindCount)
    return refuse({ reason: "overClusterLimit", detail: tooManyKinds(announced.size, maxKindCount) });
  return { state: { ...state, announced }, effects: nothing };
}

/** Only the default shard sends observed state (SE1). */
function collecting(state: HubLiveState, effect: HubSessionEffect): HubSessionStep {
  if (state.hello.shard === "") return { state, effects: [effect] };
  return refuse({
    reason: "outOfOrder",
    detail: `only the default shard may send observed state, not shard ${state.hello.shard}`,
  });
}

function takeFlush(state: HubLiveState, flush: FlushFacts): HubSessionStep {
  if (state.hello.shard !== "") return collecting(state, { kind: "ingest", flush });
  if (flush.seq <= state.acked)
    return { state, effects: [{ kind: "send", answer: { kind: "ack", seq: state.acked } }] };
  if (flush.seq <= state.received) return { state, effects: nothing };
  if (flush.seq !== state.received + 1) {
    const detail = `flush ${flush.seq} came, expected ${state.received + 1}`;
    return refuse({ reason: "outOfSequence", detail });
  }
  const unackedBytes = state.unackedBytes + flush.sizeBytes;
  const isAlone = state.acked === state.received && state.highestCreditBytes > 0;
  if (unackedBytes > state.highestCreditBytes && !isAlone) {
    const detail = `${unackedBytes} bytes are unacknowledged, the credit is ${state.highestCreditBytes}`;
    return refuse({ reason: "overCredit", detail });
  }
  return { state: { ...state, received: flush.seq, unackedBytes }, effects: [{ kind: "ingest", flush }] };
}

function acknowledge(state: HubLiveState, seq: number, sizeBytes: number): HubSessionStep {
  if (seq <= state.acked) return { state, effects: nothing };
  const unackedBytes = state.unackedBytes - sizeBytes;
  return { state: { ...state, acked: seq, unackedBytes }, effects: [{ kind: "send", answer: { kind: "ack", seq } }] };
}

function grant(state: HubLiveState, creditBytes: number, position: number): HubSessionStep {
  const highestCreditBytes = Math.max(state.highestCreditBytes, creditBytes);
  return {
    state: { ...state, creditBytes, highestCreditBytes },
    effects: [{ kind: "send", answer: { kind: "credit", creditBytes, position } }],
  };
}

/** SE4: the message has no effect, and the agent gets the reason before the stream ends. */
function refuse(refusal: Refusal): HubSessionStep {
  const isDiverged = refusal.reason === "diverged";
  const { detail } = refusal;
  const retryAfterMs = refusal.reason === "overClusterLimit" ? limitRetryMs : resumeAfterMs;
  const rejection = { reason: isDiverged ? "DIVERGED" : "PROTOCOL", retryAfterMs, detail } as const;
  const { state, effects } = lose(isDiverged ? "diverged" : "refused", detail, rejection);
  return { state, effects: [{ kind: "countRefusal", refusal }, ...effects] };
}

function lose(reason: LossReason, detail: string, rejection?: Rejection | SessionEndRejection): HubSessionStep {
  const end: HubSessionEffect = { kind: "end", ending: { kind: "lost", reason, detail } };
  if (rejection === undefined) return { state: { kind: "ended" }, effects: [end] };
  return { state: { kind: "ended" }, effects: [{ kind: "send", answer: { kind: "rejected", rejection } }, end] };
}
