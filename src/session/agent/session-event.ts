// SPDX-License-Identifier: Apache-2.0
// Events and effects of an agent's session; the types of `agent-session.ts`.
import type { FlotillaError } from "../../base/error.ts";
import type { ResourceId } from "../../model/gvr.ts";
import type { ReviewAnswer, ReviewOrder } from "../access-samples/access-sample.ts";
import type { HintAnswer, ObjectHint } from "../hints/hint.ts";
import type { TunnelFailure, TunnelOffer } from "../tunnel/tunnel.ts";
import type { FlushPaceOptions } from "./flush-pace.ts";
import type { ResumeOutcome } from "./outbox.ts";
import type { HubMessage, NeedBuckets, RejectName, SessionConfig } from "./parse-response.ts";

/** An input of the state machine. */
export type SessionEvent =
  | { readonly kind: "message"; readonly message: HubMessage }
  /** The requested proof is signed. */
  | { readonly kind: "signed"; readonly signature: Uint8Array }
  /** The time of `wakeAtMs` has come. May also come at any other time. */
  | { readonly kind: "tick" }
  /** Rows began to wait, or waiting rows may be sent now. */
  | { readonly kind: "rowsChanged" }
  | { readonly kind: "statusChanged" }
  /** The API server's verdict changed (SE44), or a probe that the hub requested has ended (SE45). */
  | { readonly kind: "apiServerChanged" }
  /** A tunnel failed, and the failure could not be sent in the tunnel (TU4). */
  | { readonly kind: "tunnelFailed"; readonly failure: TunnelFailure }
  /** There is a new report of how the cluster authorizes requests (SE62). */
  | { readonly kind: "accessChecked" }
  /** Requests of the hub were reviewed (SE63). */
  | { readonly kind: "accessReviewed"; readonly answer: ReviewAnswer }
  /** A hint was followed, or refused (SE65). */
  | { readonly kind: "hintAnswered"; readonly answer: HintAnswer }
  /** A kind became complete. */
  | { readonly kind: "listCompleted" }
  /** The outbox was reconciled with the flushes that the hub holds. */
  | { readonly kind: "resumed"; readonly outcome: ResumeOutcome }
  /** The requested flush is built, or there was nothing to send. */
  | { readonly kind: "flushBuilt"; readonly isEmpty: boolean; readonly isCut: boolean }
  /** A message, or one chunk of it, was sent. */
  | { readonly kind: "sent"; readonly what: "flush" | "part" | "goodbye" }
  | { readonly kind: "leave"; readonly reason: string }
  /** The stream ended, by either side or the network, or a necessary part of the session failed. */
  | {
      readonly kind: "streamEnded";
      readonly error: FlotillaError;
      /** The hub closed it in order. */
      readonly isInOrder?: boolean;
    };

/** A message to send. Its content is built when it is sent, so that it is current. */
export type Intent =
  | { readonly kind: "hello" }
  | { readonly kind: "proof"; readonly signature: Uint8Array }
  | { readonly kind: "heartbeat"; readonly number: number }
  /** All statuses, or only the changed ones. */
  | { readonly kind: "statuses"; readonly all: boolean }
  | { readonly kind: "root" }
  /** All complete kinds, or those that became complete. */
  | { readonly kind: "kinds"; readonly all: boolean }
  | { readonly kind: "buckets"; readonly resources: readonly string[] }
  | { readonly kind: "tunnelFailures"; readonly failures: readonly TunnelFailure[] }
  | { readonly kind: "accessReport" }
  | { readonly kind: "accessVerdicts"; readonly answer: ReviewAnswer }
  | { readonly kind: "hintAnswers"; readonly answers: readonly HintAnswer[] }
  | { readonly kind: "flush" }
  | { readonly kind: "goodbye"; readonly reason: string };

/** How a session ended. */
export type SessionEnding =
  /** The agent left on purpose. */
  | { readonly kind: "left" }
  /** The hub closes; reconnect after this time (SE31). */
  | { readonly kind: "drained"; readonly retryAfterMs: number }
  | {
      readonly kind: "rejected";
      readonly reason: RejectName;
      readonly retryAfterMs: number;
      readonly detail: string;
      /**
       * Whether the session was live. Then PROTOCOL and DIVERGED mean that the two sides disagree, and the next session
       * is a new incarnation (SE27).
       */
      readonly wasLive: boolean;
    }
  | { readonly kind: "lost"; readonly error: FlotillaError };

/** An action to carry out, in the given order. */
export type SessionEffect =
  | { readonly kind: "send"; readonly intent: Intent }
  | { readonly kind: "sign"; readonly hubName: string; readonly nonce: Uint8Array }
  /** For the outbox; answered by the event `resumed`. */
  | { readonly kind: "resume"; readonly durableIncarnation: string; readonly durableSeq: number }
  | { readonly kind: "setCredit"; readonly byteCount: number }
  | { readonly kind: "acknowledge"; readonly seq: number }
  | { readonly kind: "need"; readonly need: NeedBuckets }
  | { readonly kind: "buildFlush" }
  | { readonly kind: "configure"; readonly config: SessionConfig }
  /** The hub holds rows of kinds that Hello did not name (SE58). */
  | { readonly kind: "noteHeld"; readonly resources: readonly ResourceId[] }
  /** Probe the API server now (SE45). */
  | { readonly kind: "probeApiServer" }
  /** Open a tunnel beside the session (TU1). */
  | { readonly kind: "openTunnel"; readonly offer: TunnelOffer }
  /** Review requests of users; answered by the event `accessReviewed` (SE63). */
  | { readonly kind: "reviewAccess"; readonly order: ReviewOrder }
  /** Read an object ahead of its watch; answered by the event `hintAnswered` (SE65). */
  | { readonly kind: "takeHint"; readonly hint: ObjectHint }
  /** A message of a newer hub was skipped (SE3). */
  | { readonly kind: "countUnknown" }
  /** Close the stream. */
  | { readonly kind: "end"; readonly ending: SessionEnding };

/** The outside state that a step depends on, all read at the same time. */
export interface AgentSessionFacts {
  readonly nowMs: number;
  /** From the outbox, as are the next four. */
  readonly lastSeq: number;
  readonly changeCount: number;
  readonly hasWaiting: boolean;
  /** Whether rows of the RBAC kinds wait. */
  readonly hasWaitingGrants: boolean;
  /** Whether the credit allows a small flush. */
  readonly hasCredit: boolean;
}

/** The settings of the agent's side. */
export interface SessionOptions extends FlushPaceOptions {
  /** The only hub name whose challenge is answered (SE6). */
  readonly hubName: string;
  /** Time between two root digests unless the hub sets another (N-3). */
  readonly syncIntervalMs: number;
}
