// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { Socket } from "node:net";

/** One request, of HTTP/1.1 or HTTP/2 alike. */
export type HttpRequest = IncomingMessage | Http2ServerRequest;

/** Its answer. */
export type HttpResponse = ServerResponse | Http2ServerResponse;

/**
 * Takes over one request. It never throws and never rejects: whatever goes wrong becomes an answer. `noteAuthenticated` is to be
 * called once the sender has proven who it is: from then on the limits of strangers do not hold for its connection (RP54, RP55).
 */
export type RequestListener = (request: HttpRequest, response: HttpResponse, noteAuthenticated: () => void) => void;

/** An HTTP/1.1 connection that leaves HTTP. */
export interface SwitchedConnection {
  readonly socket: Socket;
  /** What the peer has sent behind the headers of its request. */
  readonly head: Uint8Array;
}

/** Takes over requests that ask to switch their HTTP/1.1 connection to another protocol (`Upgrade`). */
export interface UpgradeListener {
  /** Judges by the path. A request that is not accepted is served as if it had not asked. */
  accepts(request: Pick<HttpRequest, "url">): boolean;
  /** As a RequestListener. The response may be used instead of the connection, to refuse; the connection closes with it. */
  onUpgrade(
    request: HttpRequest,
    response: HttpResponse,
    connection: SwitchedConnection,
    noteAuthenticated: () => void,
  ): void;
}

/** The value of a header that may be sent once; the first where it was repeated against the rules. */
export function headerOf(request: HttpRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
