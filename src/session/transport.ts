// SPDX-License-Identifier: Apache-2.0
// The port between a session and the wire: whole messages on an ordered stream. An adapter carries it over HTTP/2, the
// simulated world over a faulty network; the two ends of the session see only this.
import type { FlotillaError } from "../base/error.ts";

/** How a stream came to its end, as one end knows it. The other end may know nothing of it, or something else. */
export type StreamEnding =
  /** Closed in order by either end. Messages that came before can still be received. */
  | { readonly kind: "ended" }
  /** Broken. Messages not received yet are lost, and what was sent may or may not have arrived. */
  | { readonly kind: "failed"; readonly error: FlotillaError };

/**
 * One end of a bidirectional stream. Messages of one direction arrive whole, in order and at most once; between the two
 * directions, and between streams, there is no order. Silence proves nothing: an end may be open although the other is gone,
 * so whoever uses it sends heartbeats and sets deadlines (L11).
 */
export interface StreamEnd {
  /**
   * Resolves when the message is on its way, which is no proof that it arrives (L3). While sent but unread bytes fill the
   * window it waits, in order of the calls; nothing is dropped (L13). Rejects with TOO_LARGE for a message that no window holds,
   * with UNAVAILABLE once closed, or with the signal's reason; then the message has not been and will not be sent. The bytes
   * must not be changed afterwards.
   */
  send(message: Uint8Array, signal?: AbortSignal): Promise<void>;

  /**
   * Messages as they come, each the receiver's own. Ends after the last one if the stream was closed in order, throws the
   * ending's error if it failed. One reader at a time; leaving the loop keeps the stream and what is unread.
   */
  readonly receive: AsyncIterable<Uint8Array>;

  /**
   * Lets go of the stream in both directions; the second call does nothing. Without an error the other end first receives
   * everything sent so far. With one the stream is broken off, and the other end learns no more than that.
   */
  close(error?: FlotillaError): void;

  /** Resolves when this end knows of the ending; never rejects. */
  readonly closed: Promise<StreamEnding>;
}

/** The dialling side: an agent that reaches its hub. Credentials, address and proxies are the implementation's affair. */
export interface SessionTransport {
  /**
   * A new stream. Rejects with UNAVAILABLE when refused, with DEADLINE_EXCEEDED when nobody answers, or with the signal's
   * reason. The other side may have accepted a stream whose dial failed here; it ends as any silent stream does.
   */
  dial(signal: AbortSignal): Promise<StreamEnd>;
}

/**
 * The accepting side: called once for each stream, which belongs to the callee from then on. `from` says where it comes from,
 * for logs; who it is comes from its credentials (L15). The callee calls `noteProven` once the other end has proven who it is: an
 * adapter bounds what it reads of a stream, and for how long, until then (RP51, RP55). It must not throw.
 */
export type AcceptStream = (end: StreamEnd, from: string, noteProven?: () => void) => void;

/** An open door. Closing it refuses new streams; those accepted go on. */
export interface StreamListener {
  close(): void;
}
