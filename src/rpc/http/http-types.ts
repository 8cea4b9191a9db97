// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { Socket } from "node:net";

/** A request of HTTP/1.1 or HTTP/2. */
export type HttpRequest = IncomingMessage | Http2ServerRequest;

/** The response of HTTP/1.1 or HTTP/2. */
export type HttpResponse = ServerResponse | Http2ServerResponse;

/**
 * Serves one request. Never throws and never rejects: every failure becomes a response. Calls `noteAuthenticated` once
 * the sender is authenticated; from then on the limits for unauthenticated connections no longer apply (RP54, RP55).
 */
export type RequestListener = (request: HttpRequest, response: HttpResponse, noteAuthenticated: () => void) => void;

/** An HTTP/1.1 connection that switches to another protocol. */
export interface SwitchedConnection {
  readonly socket: Socket;
  /** Bytes that arrived after the headers of the request. */
  readonly head: Uint8Array;
}

/** Serves requests with `Upgrade`, which switch their HTTP/1.1 connection to another protocol. */
export interface UpgradeListener {
  /** Decided by the path. A request that is not accepted is served as if it had no `Upgrade` header. */
  accepts(request: Pick<HttpRequest, "url">): boolean;
  /** Like a RequestListener. To refuse, write to the response; the connection closes after it. */
  onUpgrade(
    request: HttpRequest,
    response: HttpResponse,
    connection: SwitchedConnection,
    noteAuthenticated: () => void,
  ): void;
}

/** The value of a header that may occur once; the first value if it was repeated. */
export function headerOf(request: HttpRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
