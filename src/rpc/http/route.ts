// SPDX-License-Identifier: Apache-2.0
import type { Logger } from "../../base/log.ts";
import type { RequestAttributes } from "../../rbac/attributes.ts";
import type { FileAnswer } from "../page/file-answer.ts";
import type { Caller } from "../server/call-context.ts";
import type { Exchange } from "./exchange.ts";

/**
 * Who may use a route. `public`: everybody, with the reason in `because`. `authenticated`: any caller with a valid
 * token. Otherwise: callers with this permission.
 */
export type RouteAccess =
  | { readonly kind: "public"; readonly because: string }
  | { readonly kind: "authenticated" }
  | RequestAttributes;

/** One HTTP request, as passed to a route's handler. Its access has been checked. */
export interface RouteRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly requestId: string;
  /** The peer's address without its port. Empty once the peer has disconnected. */
  readonly address: string;
  /** Undefined on public routes only. */
  readonly caller: Caller | undefined;
  readonly log: Logger;
  header(name: string): string | undefined;
}

/** Types that a browser never renders as a page. Data from a cluster is never served as HTML. */
export type AnswerType =
  | "application/json"
  | "application/yaml"
  | "text/plain; charset=utf-8"
  | "text/plain; version=0.0.4; charset=utf-8"
  | "application/openmetrics-text; version=1.0.0; charset=utf-8";

const inertTypes = /^(application\/(json|yaml|openmetrics-text)|text\/plain)(;|$)/;

/**
 * True for an AnswerType with any parameters. Checked on every non-streamed answer, because a cast can bypass the type.
 */
export function isInertType(contentType: string): contentType is AnswerType {
  return inertTypes.test(contentType);
}

/** An answer that is complete when the handler returns. */
export interface WholeAnswer {
  readonly status: number;
  readonly contentType: AnswerType;
  readonly body: string | Uint8Array;
}

/**
 * The type of server-sent events. A browser passes it to the script that requested it and never renders it as a page.
 */
export const eventStreamType = "text/event-stream";

/** An answer that is streamed until its source ends. */
export interface StreamAnswer {
  readonly status: number;
  readonly contentType: typeof eventStreamType;
  /**
   * Opens the source; not called for HEAD. The next piece is read when the connection has accepted the previous one.
   * The signal aborts when the peer leaves, its token ends or the hub closes. The answer ends then in any case, and the
   * source must release its resources. An error thrown by the source breaks the answer off.
   */
  readonly stream: (signal: AbortSignal) => AsyncIterable<string>;
}

/** A redirect to another path of this hub. */
export interface RedirectAnswer {
  readonly status: 302;
  /** A fixed path, never one taken from a request. */
  readonly location: `/${string}`;
}

/** What a route answers. */
export type RouteAnswer = WholeAnswer | StreamAnswer | RedirectAnswer | FileAnswer;

/** Answers a request, or throws a FlotillaError that is mapped to a response by its code. */
export type RouteHandler = (request: RouteRequest) => RouteAnswer | Promise<RouteAnswer>;

/** A path that is not an RPC. */
export interface Route {
  /** The whole path; with `match: "prefix"` the prefix, ending in a slash. */
  readonly path: string;
  readonly match?: "exact" | "prefix";
  /** Default: GET and HEAD. */
  readonly methods?: readonly string[];
  readonly access: RouteAccess;
  /** True for probes and scrapes: their log lines have level debug. */
  readonly isQuiet?: boolean;
  readonly handler: RouteHandler;
}

/** The route of a path: an exact one first, then the longest prefix. */
export function findRoute<R extends Pick<Route, "path" | "match">>(routes: readonly R[], path: string): R | undefined {
  let found: R | undefined;
  for (const route of routes) {
    if (route.match !== "prefix") {
      if (route.path === path) return route;
    } else if (path.startsWith(route.path) && route.path.length > (found?.path.length ?? 0)) {
      found = route;
    }
  }
  return found;
}

/** The request as passed to a route's handler. */
export function toRouteRequest(exchange: Exchange, caller: Caller | undefined): RouteRequest {
  const { path, requestId, log, request } = exchange;
  return {
    method: request.method ?? "",
    path,
    query: new URLSearchParams(request.url?.slice(path.length) ?? ""),
    requestId,
    address: request.socket.remoteAddress ?? "",
    caller,
    log,
    header: (name) => exchange.header(name),
  };
}
