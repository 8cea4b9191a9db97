// SPDX-License-Identifier: Apache-2.0
// The states of an agent's session, and the transitions to the end that all states share.
import { FlotillaError } from "../../base/error.ts";
import type { FlushPace } from "./flush-pace.ts";
import type { AgentSessionFacts, SessionEffect, SessionEnding } from "./session-event.ts";

/** A live session. */
export interface AgentLiveState {
  readonly kind: "live";
  readonly pace: FlushPace;
  readonly epoch: bigint;
  readonly sinceMs: number;
  readonly maxMessageBytes: number;
  readonly maxJoinedBytes: number;
  readonly heartbeatMs: number;
  readonly heartbeatNumber: number;
  readonly nextHeartbeatMs: number;
  /** When the last message came from the hub, or a chunk of a long message was sent. */
  readonly heardAtMs: number;
  /** Messages received since Welcome (SE35). */
  readonly heardCount: number;
  readonly syncIntervalMs: number;
  readonly nextScanMs: number;
  /** The hub wants no state for now; heartbeats continue. */
  readonly isPaused: boolean;
  /** `building`: being encoded. `ready`: waits for its turn and for credit. One at a time. */
  readonly flush: "idle" | "building" | "ready";
  /** The last flush was full: its leftover waits for the shortest interval only. */
  readonly hasLeftOver: boolean;
  /**
   * Rows that must precede the next digests: none, waiting, or in the current flush. Once all are sent, digests prove
   * equality.
   */
  readonly repair: "none" | "asked" | "sending";
  /** The hub has asked for the digests of kinds, which follow those rows; otherwise the root follows. */
  readonly isKindsAsked: boolean;
  /** Place in the queue of first syncs; 0: not waiting (SE22). */
  readonly creditPosition: number;
}

/** The state of a session. The pace is part of every state: it also limits flushes across sessions. */
export type AgentSession =
  /** Hello is sent; waits for the challenge. */
  | { readonly kind: "greeting"; readonly pace: FlushPace; readonly deadlineMs: number }
  /** The challenge has come; the proof is being signed or is sent. */
  | { readonly kind: "proving"; readonly pace: FlushPace; readonly deadlineMs: number; readonly isSent: boolean }
  /** Rejected, and the hub keeps the stream open until an administrator decides (SE12). */
  | {
      readonly kind: "held";
      readonly pace: FlushPace;
      readonly deadlineMs: number;
      readonly ending: Extract<SessionEnding, { kind: "rejected" }>;
    }
  /** Welcome has come. */
  | AgentLiveState
  /** Goodbye waits to be sent. */
  | {
      readonly kind: "leaving";
      readonly pace: FlushPace;
      readonly deadlineMs: number;
      readonly ending: SessionEnding;
    }
  | { readonly kind: "ended"; readonly pace: FlushPace; readonly ending: SessionEnding };

/** The result of one event. */
export interface AgentSessionStep {
  readonly session: AgentSession;
  readonly effects: readonly SessionEffect[];
}

/** Time limit for sending Goodbye. A hub that does not receive it only waits out the grace period. */
export const goodbyeLimitMs = 2_000;

/** Ends the session: later events have no effect. */
export function end(session: AgentSession, ending: SessionEnding): AgentSessionStep {
  return { session: { kind: "ended", pace: session.pace, ending }, effects: [{ kind: "end", ending }] };
}

/** Ends the session because the hub violated the protocol (SE4). */
export function endAtFault(session: AgentSession, fault: string): AgentSessionStep {
  const error = new FlotillaError("MALFORMED", `the hub ${fault}; the session ends and begins again`);
  return end(session, { kind: "lost", error });
}

/** Sends Goodbye. The session ends with `ending` once it is sent. */
export function leave(
  session: AgentSession,
  reason: string,
  ending: SessionEnding,
  { nowMs }: AgentSessionFacts,
): AgentSessionStep {
  return {
    session: { kind: "leaving", pace: session.pace, deadlineMs: nowMs + goodbyeLimitMs, ending },
    effects: [{ kind: "send", intent: { kind: "goodbye", reason } }],
  };
}

/** The error when no message from the hub for too long (SE29). */
export function silence(while_: string, limitMs: number): FlotillaError {
  return new FlotillaError("DEADLINE_EXCEEDED", `no message from the hub for ${limitMs} ms while ${while_}`, {
    ids: { limitMs },
  });
}
