// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";

/** One request, of HTTP/1.1 or HTTP/2 alike. */
export type HttpRequest = IncomingMessage | Http2ServerRequest;

/** Its answer. */
export type HttpResponse = ServerResponse | Http2ServerResponse;

/**
 * Takes over one request. It never throws and never rejects: whatever goes wrong becomes an answer. `noteAuthenticated` is to be
 * called once the sender has proven who it is: from then on the limits of strangers do not hold for its connection (RP54, RP55).
 */
export type RequestListener = (request: HttpRequest, response: HttpResponse, noteAuthenticated: () => void) => void;

/** The value of a header that may be sent once; the first where it was repeated against the rules. */
export function headerOf(request: HttpRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
