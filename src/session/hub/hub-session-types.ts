// SPDX-License-Identifier: Apache-2.0
// The states, events and effects of the hub's side of a session.
import type { AccessReportFacts, ReviewAnswer, ReviewOrder } from "../access-samples/access-sample.ts";
import type { HintAnswer, ObjectHint } from "../hints/hint.ts";
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
import type { LossReason, Refusal, Rejection, SessionEndRejection } from "./session-rejections.ts";

/** The state of a session. `deadlineAtMs` is when silence ends it. */
export type HubSessionState =
  /** The stream is open; waits for Hello. */
  | { readonly kind: "opened"; readonly deadlineAtMs: number }
  /** A nonce was sent; waits for the proof. */
  | {
      readonly kind: "challenged";
      readonly hello: HelloFacts;
      readonly nonce: Uint8Array;
      readonly deadlineAtMs: number;
    }
  /** Key and claim are looked up; the agent must not send anything now. */
  | { readonly kind: "deciding"; readonly hello: HelloFacts }
  /** Rejected; the stream stays open until an administrator decides or the retry time is over (SE12). */
  | { readonly kind: "held"; readonly deadlineAtMs: number }
  | HubLiveState
  /** Final. */
  | { readonly kind: "ended" };

/** Accepted: rows are received and acknowledged. `acked` <= `received`, both in this incarnation's sequence. */
export interface HubLiveState {
  readonly kind: "live";
  readonly hello: HelloFacts;
  /** The kinds that the agent has named. Messages about other kinds are refused (SE56). */
  readonly announced: ReadonlySet<string>;
  readonly received: number;
  readonly acked: number;
  /** Bytes of flushes received and not acknowledged. */
  readonly unackedBytes: number;
  readonly creditBytes: number;
  /** The highest credit ever granted: the agent may not have received a lower one yet. */
  readonly highestCreditBytes: number;
  readonly deadlineAtMs: number;
  /** Messages and chunks received since Welcome (SE35). */
  readonly heardCount: number;
  readonly isDraining: boolean;
}

/** An input of the state machine. `nowMs` is monotonic. */
export type HubSessionEvent =
  | { readonly kind: "message"; readonly message: Exclude<ParsedRequest, { kind: "chunk" }>; readonly nowMs: number }
  /** A chunk that does not complete a message: a sign of life. */
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
      /** Resource id texts of kinds whose rows the hub holds and that Hello did not name (SE58). */
      readonly heldResources: readonly string[];
      readonly nowMs: number;
    }
  /** `heldUntilMs`: the stream is kept open until then (SE12). */
  | { readonly kind: "rejected"; readonly rejection: Rejection; readonly heldUntilMs?: number }
  /** The registration of a held stream's cluster has changed (SE12). */
  | { readonly kind: "released" }
  /** A flush is durable and visible. */
  | { readonly kind: "flushed"; readonly seq: number; readonly sizeBytes: number }
  /** A flush, or digests, were refused. */
  | { readonly kind: "refused"; readonly refusal: Refusal }
  | { readonly kind: "credit"; readonly creditBytes: number; readonly position: number }
  /** An administrator has paused or resumed the cluster (SE43). */
  | { readonly kind: "paused"; readonly isPaused: boolean }
  /** A user requested a probe of the API server (SE45). */
  | { readonly kind: "probeAsked" }
  /** A user requested a read in the cluster (TU1). */
  | { readonly kind: "tunnelWanted"; readonly offer: TunnelOffer }
  /** The hub compares its answers with the cluster's (SE63). */
  | { readonly kind: "reviewWanted"; readonly order: ReviewOrder }
  /** Another system reports that it changed an object (SE65). */
  | { readonly kind: "hintGiven"; readonly hint: ObjectHint }
  /** The deadline may have passed. */
  | { readonly kind: "due"; readonly nowMs: number }
  /** The stream ended without a Goodbye. */
  | { readonly kind: "broken"; readonly detail: string }
  /** The hub ends it: revoked, superseded, its store failed, or it closes. */
  | { readonly kind: "cut"; readonly reason: LossReason; readonly detail: string; readonly rejection?: Rejection }
  | { readonly kind: "drain"; readonly retryAfterMs: number };

/** A message to the agent, in plain values. */
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
  | { readonly kind: "rejected"; readonly rejection: Rejection | SessionEndRejection; readonly isHeld?: boolean }
  | { readonly kind: "config"; readonly isPaused: boolean }
  | { readonly kind: "ack"; readonly seq: number }
  | { readonly kind: "credit"; readonly creditBytes: number; readonly position: number }
  | { readonly kind: "heartbeatAnswer"; readonly number: bigint }
  | { readonly kind: "probeApiServer" }
  | { readonly kind: "openTunnel"; readonly offer: TunnelOffer }
  | { readonly kind: "reviewAccess"; readonly order: ReviewOrder }
  | { readonly kind: "objectHint"; readonly hint: ObjectHint }
  | { readonly kind: "drain"; readonly retryAfterMs: number };

/** How a session ended. `never`: before it was accepted, so only the stream has to be closed. */
export type HubSessionEnding =
  | { readonly kind: "never" }
  | { readonly kind: "left"; readonly reason: string }
  | { readonly kind: "lost"; readonly reason: LossReason; readonly detail: string };

/**
 * Actions, in order. `ingest`, `statuses` and `compare` run one after another, each after the previous ones are done.
 */
export type HubSessionEffect =
  | { readonly kind: "send"; readonly answer: HubAnswer }
  | { readonly kind: "decide"; readonly hello: HelloFacts; readonly nonce: Uint8Array; readonly signature: Uint8Array }
  | { readonly kind: "ingest"; readonly flush: FlushFacts }
  | { readonly kind: "statuses"; readonly kinds: readonly KindFacts[] }
  | { readonly kind: "compare"; readonly digests: DigestsFacts }
  | { readonly kind: "heartbeat"; readonly heartbeat: HeartbeatFacts }
  | { readonly kind: "tunnelFailures"; readonly failures: readonly TunnelFailure[] }
  | { readonly kind: "accessReport"; readonly report: AccessReportFacts }
  | { readonly kind: "accessVerdicts"; readonly answer: ReviewAnswer }
  | { readonly kind: "hintAnswers"; readonly answers: readonly HintAnswer[] }
  | { readonly kind: "countRefusal"; readonly refusal: Refusal }
  | { readonly kind: "countUnknown" }
  /** Reports a rejected attempt, before `end`. */
  | { readonly kind: "observeRejection"; readonly hello: HelloFacts; readonly rejection: Rejection }
  /** The last effect: everything sent so far is written, then the stream is closed. */
  | { readonly kind: "end"; readonly ending: HubSessionEnding };

/** The next state and its effects. */
export interface HubSessionStep {
  readonly state: HubSessionState;
  readonly effects: readonly HubSessionEffect[];
}

/** A session's inputs besides its events: its limits, and a nonce that is used once (SE6). */
export interface HubSessionContext {
  readonly limits: SessionLimits;
  /** Most kinds of the session (`--max-cluster-kinds`, SE57). */
  readonly maxKindCount: number;
  readonly nonce: Uint8Array;
}
