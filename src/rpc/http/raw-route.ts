// SPDX-License-Identifier: Apache-2.0
// Routes that serve a whole protocol below a path, such as the Kubernetes API: any method, streamed bodies and
// responses, upgrades.
import type { IncomingHttpHeaders } from "node:http";
import type { SwitchedConnection } from "./http-types.ts";
import type { RouteAccess, RouteRequest } from "./route.ts";

/** One HTTP request as a raw route sees it. Host and Origin have been checked, and so has the route's access. */
export interface RawRequest extends RouteRequest {
  /** Path and query as they were sent. */
  readonly url: string;
  readonly headers: Readonly<IncomingHttpHeaders>;
  /**
   * True if the answer may be a SwitchAnswer: the client requested an upgrade on HTTP/1.1 and the route accepts
   * upgrades.
   */
  readonly isUpgrade: boolean;
  /**
   * The body, read from the connection on demand. Call it once. Throws TOO_LARGE beyond 64 KiB while the sender is not
   * authenticated (RP51). After that there is no limit; the handler must set its own. Empty for an upgrade.
   */
  body(): AsyncIterable<Uint8Array>;
  /** Call it on a public route once the sender is authenticated. It ends the limits of RP51, RP54 and RP55. */
  noteAuthenticated(): void;
  /**
   * Aborts when the peer leaves, the caller's token ends or the hub closes. A non-streamed response is still sent after
   * that, if possible.
   */
  readonly signal: AbortSignal;
}

/** Names, in lower case, and values. The hub's own security headers cannot be replaced, except `cache-control`. */
export type RawHeaders = readonly (readonly [name: string, value: string | readonly string[]])[];

/** A response. Of a stream, the next piece is read when the connection has accepted the previous one (RP43). */
export interface RawAnswer {
  readonly status: number;
  /** The content type must be one that browsers do not render as a page: see `isInertRawType`. */
  readonly headers: RawHeaders;
  readonly body: Uint8Array | AsyncIterable<Uint8Array>;
}

/** Ends HTTP on the connection. */
export interface SwitchAnswer {
  readonly status: 101;
  /** `connection: Upgrade` is added. */
  readonly headers: RawHeaders;
  /**
   * Called after the headers are written. The connection closes when the promise settles or the request's signal
   * aborts.
   */
  serve(connection: SwitchedConnection): Promise<void>;
}

/** Answers a request, or throws a FlotillaError that is mapped to a response by its code. It has no deadline. */
export type RawHandler = (request: RawRequest) => Promise<RawAnswer | SwitchAnswer>;

/** Serves everything below a path with one handler. The handler of a public route authenticates callers itself. */
export interface RawRoute {
  /** The path prefix, ending in a slash. */
  readonly path: string;
  readonly match: "prefix";
  readonly access: RouteAccess;
  readonly isQuiet?: boolean;
  /** True if the handler accepts `Upgrade` requests. Otherwise they are served as ordinary requests. */
  readonly takesUpgrades?: boolean;
  readonly raw: RawHandler;
}

const inertRawTypes = /^(text\/plain|text\/event-stream|application\/(?![^;]*xml)[^;]+)(;|$)/;

/** True for types that a browser shows as text, downloads or passes to a script, and never runs as a page. */
export function isInertRawType(contentType: string): boolean {
  return inertRawTypes.test(contentType.toLowerCase());
}
