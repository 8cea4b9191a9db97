// SPDX-License-Identifier: Apache-2.0
// The states, events and effects of the hub's end of a session.
import type { TunnelFailure, TunnelOffer } from "../tunnel/tunnel.ts";
import type {
  DigestsFacts,
  FlushFacts,
  HeartbeatFacts,
  HelloFacts,
  KindFacts,
  ParsedRequest,
} from "./parsed-request.ts";
import type { SessionLimits } from "./session-limits.ts";
import type { LastWord, LossReason, Refusal, Rejection } from "./session-rejections.ts";

/** Where a session is. `deadlineAtMs` is when silence ends it. */
export type HubSessionState =
  /** The stream is open, nothing was said. */
  | { readonly kind: "opened"; readonly deadlineAtMs: number }
  /** A nonce was sent; the proof is awaited. */
  | {
      readonly kind: "challenged";
      readonly hello: HelloFacts;
      readonly nonce: Uint8Array;
      readonly deadlineAtMs: number;
    }
  /** Key and claim are looked up; the agent has nothing to say now. */
  | { readonly kind: "deciding"; readonly hello: HelloFacts }
  /** Rejected, and the stream stays open until an administrator decides or the retry time is over (SE12). */
  | { readonly kind: "held"; readonly deadlineAtMs: number }
  | HubLiveState
  /** Nothing follows. */
  | { readonly kind: "ended" };

/** Accepted: rows come and are acknowledged. `acked` <= `received`, both of this incarnation's sequence. */
export interface HubLiveState {
  readonly kind: "live";
  readonly hello: HelloFacts;
  /** The kinds that the agent has named: the only ones that the session may be about (SE56). */
  readonly announced: ReadonlySet<string>;
  readonly received: number;
  readonly acked: number;
  /** Bytes of flushes received and not acknowledged. */
  readonly unackedBytes: number;
  readonly creditBytes: number;
  /** The most that was ever told: an agent may not have heard of less yet. */
  readonly highestCreditBytes: number;
  readonly deadlineAtMs: number;
  /** Messages and chunks that came since Welcome (SE35). */
  readonly heardCount: number;
  readonly isDraining: boolean;
}

/** What can happen. `nowMs` is monotonic. */
export type HubSessionEvent =
  | { readonly kind: "message"; readonly message: Exclude<ParsedRequest, { kind: "chunk" }>; readonly nowMs: number }
  /** A chunk came that does not complete a message: a sign of life. */
  | { readonly kind: "chunk"; readonly nowMs: number }
  /** Epoch, claim and record are durable (SE11). */
  | {
      readonly kind: "accepted";
      readonly epoch: number;
      readonly durableIncarnation: string;
      readonly durableSeq: number;
      readonly creditBytes: number;
      readonly position: number;
      readonly isPaused: boolean;
      /** Texts of resource ids of which the hub holds rows and that the Hello did not name (SE58). */
      readonly heldResources: readonly string[];
      readonly nowMs: number;
    }
  /** `heldUntilMs`: the stream is kept open until then (SE12). */
  | { readonly kind: "rejected"; readonly rejection: Rejection; readonly heldUntilMs?: number }
  /** The registration of a held stream's cluster has changed (SE12). */
  | { readonly kind: "released" }
  /** A flush is durable and visible. */
  | { readonly kind: "flushed"; readonly seq: number; readonly sizeBytes: number }
  /** A flush, or digests, turned out to be what is refused whole. */
  | { readonly kind: "refused"; readonly refusal: Refusal }
  | { readonly kind: "credit"; readonly creditBytes: number; readonly position: number }
  /** An administrator has paused the cluster or lets it go on (SE43). */
  | { readonly kind: "paused"; readonly isPaused: boolean }
  /** Somebody wants the API server tried now (SE45). */
  | { readonly kind: "probeAsked" }
  /** Somebody wants to ask the cluster something (TU1). */
  | { readonly kind: "tunnelWanted"; readonly offer: TunnelOffer }
  /** The deadline may have passed. */
  | { readonly kind: "due"; readonly nowMs: number }
  /** The stream ended without a Goodbye. */
  | { readonly kind: "broken"; readonly detail: string }
  /** The hub ends it: revoked, superseded, its store failed, or it closes. */
  | { readonly kind: "cut"; readonly reason: LossReason; readonly detail: string; readonly rejection?: Rejection }
  | { readonly kind: "drain"; readonly retryAfterMs: number };

/** A message down, in plain values. */
export type HubAnswer =
  | { readonly kind: "challenge"; readonly nonce: Uint8Array }
  | {
      readonly kind: "welcome";
      readonly epoch: number;
      readonly durableIncarnation: string;
      readonly durableSeq: number;
      readonly creditBytes: number;
      readonly isPaused: boolean;
      readonly heldResources: readonly string[];
    }
  | { readonly kind: "rejected"; readonly rejection: Rejection | LastWord; readonly isHeld?: boolean }
  | { readonly kind: "config"; readonly isPaused: boolean }
  | { readonly kind: "ack"; readonly seq: number }
  | { readonly kind: "credit"; readonly creditBytes: number; readonly position: number }
  | { readonly kind: "heartbeatAnswer"; readonly number: bigint }
  | { readonly kind: "probeApiServer" }
  | { readonly kind: "openTunnel"; readonly offer: TunnelOffer }
  | { readonly kind: "drain"; readonly retryAfterMs: number };

/** How it ended. `never`: before it was accepted, so that there is nothing to end but the stream. */
export type HubSessionEnding =
  | { readonly kind: "never" }
  | { readonly kind: "left"; readonly reason: string }
  | { readonly kind: "lost"; readonly reason: LossReason; readonly detail: string };

/** What to do, in order. `ingest`, `statuses` and `compare` are done one after another, each when those before it are done. */
export type HubSessionEffect =
  | { readonly kind: "send"; readonly answer: HubAnswer }
  | { readonly kind: "decide"; readonly hello: HelloFacts; readonly nonce: Uint8Array; readonly signature: Uint8Array }
  | { readonly kind: "ingest"; readonly flush: FlushFacts }
  | { readonly kind: "statuses"; readonly kinds: readonly KindFacts[] }
  | { readonly kind: "compare"; readonly digests: DigestsFacts }
  | { readonly kind: "heartbeat"; readonly heartbeat: HeartbeatFacts }
  | { readonly kind: "tunnelFailures"; readonly failures: readonly TunnelFailure[] }
  | { readonly kind: "countRefusal"; readonly refusal: Refusal }
  | { readonly kind: "countUnknown" }
  /** Tells of an attempt that came to nothing, before `end`. */
  | { readonly kind: "observeRejection"; readonly hello: HelloFacts; readonly rejection: Rejection }
  /** The last effect: everything sent so far goes out, then the stream is closed. */
  | { readonly kind: "end"; readonly ending: HubSessionEnding };

/** The next state and what to do. */
export interface HubSessionStep {
  readonly state: HubSessionState;
  readonly effects: readonly HubSessionEffect[];
}

/** What a session needs besides its events: its limits, and a nonce of its own that is used once (SE6). */
export interface HubSessionContext {
  readonly limits: SessionLimits;
  /** Kinds that it may be about (`--max-cluster-kinds`, SE57). */
  readonly maxKindCount: number;
  readonly nonce: Uint8Array;
}
