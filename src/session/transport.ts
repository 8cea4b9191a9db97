// SPDX-License-Identifier: Apache-2.0
// The port between a session and the wire: whole messages on an ordered stream. One adapter carries it over HTTP/2, the
// simulation over a faulty network. The two sides of a session see only this interface.
import type { FlotillaError } from "../base/error.ts";

/** How a stream ended, as known to one end. The other end may have seen another ending, or none yet. */
export type StreamEnding =
  /** Closed in order by either end. Messages that came before can still be received. */
  | { readonly kind: "ended" }
  /** Broken. Messages not received yet are lost, and what was sent may or may not have arrived. */
  | { readonly kind: "failed"; readonly error: FlotillaError };

/**
 * One end of a bidirectional stream. Messages of one direction arrive whole, in order and at most once. There is no
 * order between the two directions, or between streams. Silence proves nothing: an end may be open although the other
 * is gone, so the user of a stream sends heartbeats and sets deadlines (L11).
 */
export interface StreamEnd {
  /**
   * Resolves when the message is sent, which does not prove that it arrives (L3). Waits while sent but unread bytes
   * fill the window, in order of the calls; nothing is dropped (L13). Rejects with TOO_LARGE for a message that no
   * window holds, with UNAVAILABLE once closed, or with the signal's reason; then the message is never sent. The bytes
   * must not be changed afterwards.
   */
  send(message: Uint8Array, signal?: AbortSignal): Promise<void>;

  /**
   * Messages as they arrive, each owned by the receiver. Ends after the last one if the stream was closed in order;
   * throws the ending's error if it failed. One reader at a time. Leaving the loop keeps the stream and its unread
   * messages.
   */
  readonly receive: AsyncIterable<Uint8Array>;

  /**
   * Closes the stream in both directions; a second call does nothing. Without an error the other end first receives
   * everything sent so far. With an error the stream is broken off, and the other end learns only that.
   */
  close(error?: FlotillaError): void;

  /** Resolves when this end learns of the ending; never rejects. */
  readonly closed: Promise<StreamEnding>;
}

/**
 * The dialling side: an agent that connects to its hub. The implementation handles credentials, address and proxies.
 */
export interface SessionTransport {
  /**
   * Opens a new stream. Rejects with UNAVAILABLE if refused, with DEADLINE_EXCEEDED without an answer, or with the
   * signal's reason. The other side may have accepted a stream whose dial failed here; that stream ends like any silent
   * one.
   */
  dial(signal: AbortSignal): Promise<StreamEnd>;
}

/**
 * The accepting side: called once for each stream, which the callee owns from then on. `from` is the stream's origin,
 * for logs; its identity comes from its credentials (L15). The callee calls `noteProven` once the other end has proven
 * its identity. Until then an adapter limits how much and how long it reads from a stream (RP51, RP55). Must not throw.
 */
export type AcceptStream = (end: StreamEnd, from: string, noteProven?: () => void) => void;
