// SPDX-License-Identifier: Apache-2.0
// The states of an agent's session, and the ways out of them that all states share.
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
  /** When something last came from the hub, or a part of a long message went out. */
  readonly heardAtMs: number;
  /** Messages of the hub since Welcome (SE35). */
  readonly heardCount: number;
  readonly syncIntervalMs: number;
  readonly nextScanMs: number;
  /** The hub wants no state for now; heartbeats go on. */
  readonly isPaused: boolean;
  /** `building`: bytes are being made. `ready`: it waits for its turn and for credit. One at a time. */
  readonly flush: "idle" | "building" | "ready";
  /** The flush before was full: what it left over waits for the shortest interval only. */
  readonly hasLeftOver: boolean;
  /** Rows that go before the next digests: none, waiting, or in the flush that is under way. Once all are sent, digests prove that nothing differs any more. */
  readonly mending: "none" | "asked" | "sending";
  /** The hub has asked for the digests of kinds, and they follow those rows; else the root does. */
  readonly isKindsAsked: boolean;
  /** Place in the line of first syncs; 0: not waiting (SE22). */
  readonly creditPosition: number;
}

/** Where a session stands. The pace goes through all states: flushes of two sessions keep their distance too. */
export type AgentSession =
  /** Hello is sent, the challenge has not come. */
  | { readonly kind: "greeting"; readonly pace: FlushPace; readonly deadlineMs: number }
  /** The challenge has come; the proof is being made or is sent. */
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
  /** Goodbye is to be sent, or is sent. */
  | {
      readonly kind: "leaving";
      readonly pace: FlushPace;
      readonly deadlineMs: number;
      readonly ending: SessionEnding;
    }
  | { readonly kind: "ended"; readonly pace: FlushPace; readonly ending: SessionEnding };

/** What one event leads to. */
export interface AgentSessionStep {
  readonly session: AgentSession;
  readonly effects: readonly SessionEffect[];
}

/** How long a Goodbye may take to get out. A hub that does not hear it waits out the grace period, no more. */
export const goodbyeLimitMs = 2_000;

/** Ends the session: whatever comes later is not heard. */
export function end(session: AgentSession, ending: SessionEnding): AgentSessionStep {
  return { session: { kind: "ended", pace: session.pace, ending }, effects: [{ kind: "end", ending }] };
}

/** Ends the session because the hub did what no hub does (SE4). */
export function endAtFault(session: AgentSession, fault: string): AgentSessionStep {
  const error = new FlotillaError("MALFORMED", `the hub ${fault}; the session ends and begins again`);
  return end(session, { kind: "lost", error });
}

/** Says goodbye; the session ends with `ending` when that is out. */
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

/** The hub has not been heard of for too long (SE29). */
export function silence(while_: string, limitMs: number): FlotillaError {
  return new FlotillaError("DEADLINE_EXCEEDED", `nothing came from the hub for ${limitMs} ms while ${while_}`, {
    ids: { limitMs },
  });
}
