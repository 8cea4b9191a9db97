// SPDX-License-Identifier: Apache-2.0
import type { Logger } from "../base/log.ts";
import type { RequestAttributes } from "../rbac/attributes.ts";
import type { Caller } from "./call-context.ts";
import type { FileAnswer } from "./file-answer.ts";

/**
 * Who may use a route. `public`: anybody, and the reason why that is right stands beside it; `authenticated`: any caller
 * with a token; else whoever is allowed this.
 */
export type RouteAccess =
  | { readonly kind: "public"; readonly because: string }
  | { readonly kind: "authenticated" }
  | RequestAttributes;

/** One HTTP request as a route sees it. Its access has been checked. */
export interface RouteRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly requestId: string;
  /** The address that the request comes from, without its port. Empty once the peer is gone. */
  readonly address: string;
  /** Undefined on public routes only. */
  readonly caller: Caller | undefined;
  readonly log: Logger;
  header(name: string): string | undefined;
}

/** Types that a browser never takes for a page. Nothing that comes from a cluster is served as HTML. */
export type AnswerType =
  | "application/json"
  | "application/yaml"
  | "text/plain; charset=utf-8"
  | "text/plain; version=0.0.4; charset=utf-8"
  | "application/openmetrics-text; version=1.0.0; charset=utf-8";

const inertTypes = /^(application\/(json|yaml|openmetrics-text)|text\/plain)(;|$)/;

/** True for an AnswerType with any parameters; checked on every whole answer, because a cast can get around the type. */
export function isInertType(contentType: string): contentType is AnswerType {
  return inertTypes.test(contentType);
}

/** An answer that is whole when it is given. */
export interface WholeAnswer {
  readonly status: number;
  readonly contentType: AnswerType;
  readonly body: string | Uint8Array;
}

/** The type of server-sent events, which a browser hands to a script that asked for them and never takes for a page. */
export const eventStreamType = "text/event-stream";

/** An answer that comes piece by piece until its source ends. */
export interface StreamAnswer {
  readonly status: number;
  readonly contentType: typeof eventStreamType;
  /**
   * Opens the source; not called for HEAD. A piece is asked for only when the connection has taken the one before. The signal
   * aborts when the peer leaves, its token ends or the hub closes: the answer ends then, whether the source listens or not,
   * and the source must let go of what it holds. What it throws breaks the answer off.
   */
  readonly stream: (signal: AbortSignal) => AsyncIterable<string>;
}

/** An answer that leads elsewhere on this hub. */
export interface RedirectAnswer {
  readonly status: 302;
  /** A path of our own choice, never one that a request brought. */
  readonly location: `/${string}`;
}

/** What a route answers. */
export type Answer = WholeAnswer | StreamAnswer | RedirectAnswer | FileAnswer;

/** Answers a request, or throws a FlotillaError that becomes an answer by the table of errors. */
export type RouteHandler = (request: RouteRequest) => Answer | Promise<Answer>;

/** A path that is not an RPC. */
export interface Route {
  /** The whole path; with `match: "prefix"` what it begins with, ending in a slash. */
  readonly path: string;
  readonly match?: "exact" | "prefix";
  /** GET and HEAD where left out. */
  readonly methods?: readonly string[];
  readonly access: RouteAccess;
  /** True for probes and scrapes: their lines are logged at debug. */
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
