// SPDX-License-Identifier: Apache-2.0
import type { Readable } from "node:stream";

/** A request as it goes out. */
export interface WireRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** `host:port`, as Host or :authority. */
  readonly authority: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Uint8Array | undefined;
}

/** An answer whose body is still to come. `cancel` must be called in the end, however much was read. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  /** Reads no further ahead than its buffer, so that a slow reader holds the server back. */
  readonly stream: Readable;
  /** Once the stream has ended: true where the server ended it, false where it broke off. */
  isWhole(): boolean;
  /** Lets go of the request; it takes no more from the network. */
  cancel(): void;
}

/** The server did not look at the request, so it can be sent again on another connection, whatever its method (RFC 9113, section 8.7). */
export class NotTaken extends Error {
  override readonly name = "NotTaken";
}
