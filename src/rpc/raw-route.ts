// SPDX-License-Identifier: Apache-2.0
// Routes that serve whole protocols below a path, such as the Kubernetes API: any method, bodies and answers as streams, upgrades.
import type { IncomingHttpHeaders } from "node:http";
import type { SwitchedConnection } from "./http-types.ts";
import type { RouteAccess, RouteRequest } from "./route.ts";

/** One HTTP request as a raw route sees it. Host and Origin have been checked, and so has the route's access. */
export interface RawRequest extends RouteRequest {
  /** Path and query as they were sent. */
  readonly url: string;
  readonly headers: Readonly<IncomingHttpHeaders>;
  /** True where the answer may be a SwitchAnswer: the client asks for it, on HTTP/1.1, and the route takes upgrades. */
  readonly isUpgrade: boolean;
  /**
   * The bytes of the body, read from the connection as they are asked for; to be called once. Throws TOO_LARGE beyond 64 KiB while
   * the sender is not authenticated (RP51). Without a bound otherwise: that is the handler's to set. Empty for an upgrade.
   */
  body(): AsyncIterable<Uint8Array>;
  /** To be called on a public route once the sender has proven its identity: it ends the limits of RP51, RP54 and RP55. */
  noteAuthenticated(): void;
  /** Aborts when the peer leaves, the caller's token ends or the hub closes. A whole answer is still sent after that, where possible. */
  readonly signal: AbortSignal;
}

/** Names, in lower case, and values. The hub's own security headers cannot be replaced, except `cache-control`. */
export type RawHeaders = readonly (readonly [name: string, value: string | readonly string[]])[];

/** An answer. A stream is sent piece by piece: the next is asked for when the connection has taken the one before (RP43). */
export interface RawAnswer {
  readonly status: number;
  /** The content type is one that no browser takes for a page: see `isInertRawType`. */
  readonly headers: RawHeaders;
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
}

/** Ends HTTP on the connection. */
export interface SwitchAnswer {
  readonly status: 101;
  /** `connection: Upgrade` is added. */
  readonly headers: RawHeaders;
  /** Called after the headers are written. The connection is closed when the promise settles, and when the request's signal aborts. */
  serve(connection: SwitchedConnection): Promise<void>;
}

/** Answers a request, or throws a FlotillaError that becomes an answer by the table of errors. It has no deadline. */
export type RawHandler = (request: RawRequest) => Promise<RawAnswer | SwitchAnswer>;

/** Everything below a path, served by one handler. A public route authenticates by itself. */
export interface RawRoute {
  /** What the paths begin with, ending in a slash. */
  readonly path: string;
  readonly match: "prefix";
  readonly access: RouteAccess;
  readonly isQuiet?: boolean;
  /** True where `Upgrade` requests are given to the handler as such. Else they are served as if they did not ask. */
  readonly takesUpgrades?: boolean;
  readonly raw: RawHandler;
}

const inertRawTypes = /^(text\/plain|text\/event-stream|application\/(?![^;]*xml)[^;]+)(;|$)/;

/** True for types that a browser shows as text, offers for download or hands to a script: none is run as a page. */
export function isInertRawType(contentType: string): boolean {
  return inertRawTypes.test(contentType.toLowerCase());
}
