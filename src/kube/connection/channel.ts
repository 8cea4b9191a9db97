// SPDX-License-Identifier: Apache-2.0
import type { Readable } from "node:stream";

/** A request as it is sent. */
export interface WireRequest {
  readonly method: string;
  /** Including the query. */
  readonly path: string;
  /** `host:port`, as Host or :authority. */
  readonly authority: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Uint8Array | undefined;
}

/** An answer whose body has not been read. `cancel` must be called eventually, however much was read. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  /** Reads no further ahead than its buffer, so that a slow reader applies backpressure to the server. */
  readonly stream: Readable;
  /** After the stream has ended: true if the server completed it, false if it broke off. */
  isWhole(): boolean;
  /** Releases the request; no more is read from the network. */
  cancel(): void;
}

/**
 * The server did not process the request, so it can be sent again on another connection, whatever its method (RFC 9113,
 * section 8.7).
 */
export class NotTaken extends Error {
  override readonly name = "NotTaken";
}
