// SPDX-License-Identifier: Apache-2.0
// What can happen to an agent's session and what it wants done: the vocabulary of `agent-session.ts`.
import type { FlotillaError } from "../../base/error.ts";
import type { ResourceId } from "../../model/gvr.ts";
import type { TunnelFailure, TunnelOffer } from "../tunnel/tunnel.ts";
import type { FlushPaceOptions } from "./flush-pace.ts";
import type { ResumeOutcome } from "./outbox.ts";
import type { HubMessage, NeedBuckets, RejectName, SessionConfig } from "./parse-response.ts";

/** Something that happened. */
export type SessionEvent =
  | { readonly kind: "message"; readonly message: HubMessage }
  /** The proof asked for is signed. */
  | { readonly kind: "signed"; readonly signature: Uint8Array }
  /** The time that `wakeAtMs` named has come, or any other. */
  | { readonly kind: "tick" }
  /** Something waits that did not, or may go that might not. */
  | { readonly kind: "rowsChanged" }
  | { readonly kind: "statusChanged" }
  /** The API server is judged otherwise than before (SE44), or a probe that the hub asked for is over (SE45). */
  | { readonly kind: "apiServerChanged" }
  /** A tunnel came to an end that could not be told in it (TU4). */
  | { readonly kind: "tunnelFailed"; readonly failure: TunnelFailure }
  /** The first complete list of a kind. */
  | { readonly kind: "listCompleted" }
  /** The outbox has taken in what the hub holds. */
  | { readonly kind: "resumed"; readonly outcome: ResumeOutcome }
  /** The flush asked for has its bytes, or there was nothing to send. */
  | { readonly kind: "flushBuilt"; readonly isEmpty: boolean; readonly isCut: boolean }
  /** A message, or a part of one in chunks, is on its way. */
  | { readonly kind: "sent"; readonly what: "flush" | "part" | "goodbye" }
  | { readonly kind: "leave"; readonly reason: string }
  /** The stream is over, by either end or the network; or something that the session cannot do without has failed. */
  | {
      readonly kind: "streamEnded";
      readonly error: FlotillaError;
      /** The hub closed it in order. */
      readonly isInOrder?: boolean;
    };

/** What the session has to say. Its content is made when its turn on the stream comes, so that it is of that moment. */
export type Intent =
  | { readonly kind: "hello" }
  | { readonly kind: "proof"; readonly signature: Uint8Array }
  | { readonly kind: "heartbeat"; readonly number: number }
  /** All of them, or those that changed. */
  | { readonly kind: "statuses"; readonly all: boolean }
  | { readonly kind: "root" }
  /** All complete kinds, or those that became complete. */
  | { readonly kind: "kinds"; readonly all: boolean }
  | { readonly kind: "buckets"; readonly resources: readonly string[] }
  | { readonly kind: "tunnelFailures"; readonly failures: readonly TunnelFailure[] }
  | { readonly kind: "flush" }
  | { readonly kind: "goodbye"; readonly reason: string };

/** How a session came to its end. */
export type SessionEnding =
  /** By us, on purpose. */
  | { readonly kind: "left" }
  /** The hub closes; come back after this time (SE31). */
  | { readonly kind: "drained"; readonly retryAfterMs: number }
  | {
      readonly kind: "rejected";
      readonly reason: RejectName;
      readonly retryAfterMs: number;
      readonly detail: string;
      /** The session was live: what the two ends believe of each other does not fit, so the next one is a new incarnation (SE27). */
      readonly wasLive: boolean;
    }
  | { readonly kind: "lost"; readonly error: FlotillaError };

/** Something to be done, in the order given. */
export type SessionEffect =
  | { readonly kind: "send"; readonly intent: Intent }
  | { readonly kind: "sign"; readonly hubName: string; readonly nonce: Uint8Array }
  /** Told to the outbox; answered with the event `resumed`. */
  | { readonly kind: "resume"; readonly durableIncarnation: string; readonly durableSeq: number }
  | { readonly kind: "setCredit"; readonly byteCount: number }
  | { readonly kind: "acknowledge"; readonly seq: number }
  | { readonly kind: "need"; readonly need: NeedBuckets }
  | { readonly kind: "buildFlush" }
  | { readonly kind: "configure"; readonly config: SessionConfig }
  /** The hub holds rows of kinds that it was not told of (SE58). */
  | { readonly kind: "noteHeld"; readonly resources: readonly ResourceId[] }
  /** The API server is to be probed now (SE45). */
  | { readonly kind: "probeApiServer" }
  /** A tunnel is to be opened beside the session (TU1). */
  | { readonly kind: "openTunnel"; readonly offer: TunnelOffer }
  /** A message of a newer hub was skipped (SE3). */
  | { readonly kind: "countUnknown" }
  /** Let go of the stream. */
  | { readonly kind: "end"; readonly ending: SessionEnding };

/** What the session asks of its surroundings to decide; all of one moment. */
export interface AgentSessionFacts {
  readonly nowMs: number;
  /** Of the outbox. */
  readonly lastSeq: number;
  readonly changeCount: number;
  readonly hasWaiting: boolean;
  /** Whether the credit lets a small flush go. */
  readonly hasCredit: boolean;
}

/** The settings of the agent's end. */
export interface SessionOptions extends FlushPaceOptions {
  /** The only hub name whose challenge is answered (SE6). */
  readonly hubName: string;
  /** Time between two root digests unless the hub says another (N-3). */
  readonly syncIntervalMs: number;
}
