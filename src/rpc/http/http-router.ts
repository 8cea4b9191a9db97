// SPDX-License-Identifier: Apache-2.0
import { assert } from "../../base/assert.ts";
import { FlotillaError } from "../../base/error.ts";
import type { Random } from "../../base/random.ts";
import { withDeadline } from "../../base/time/deadline.ts";
import { type CallerAccess, checkAccess } from "../auth/check-access.ts";
import { FileAnswer } from "../page/file-answer.ts";
import type { Caller } from "../server/call-context.ts";
import type { UnaryDeadlines } from "../server/call-interceptor.ts";
import type { RpcMethod } from "../server/connect-router.ts";
import { authorityOf } from "./credential-request.ts";
import { Exchange, type ExchangeContext, pathOf } from "./exchange.ts";
import { createHostCheck, type HostPolicy } from "./host-check.ts";
import {
  type HttpRequest,
  type HttpResponse,
  headerOf,
  type RequestListener,
  type SwitchedConnection,
  type UpgradeListener,
} from "./http-types.ts";
import type { RawRoute } from "./raw-route.ts";
import { chooseRequestId, requestIdHeader } from "./request-id.ts";
import { eventStreamType, findRoute, isInertType, type Route, type RouteAnswer, toRouteRequest } from "./route.ts";
import { sendAnswer, sendError, sendFile, sendRedirect, sendRefusal } from "./send-answer.ts";
import { serveRaw } from "./serve-raw.ts";
import { sendStream } from "./stream-answer.ts";
import type { StreamContext } from "./stream-limit.ts";

/**
 * Headers of every response. The policy disables scripts even in an HTML response that a route sends by mistake; pages
 * replace it with their own. No Strict-Transport-Security: it would lock browsers out of the plain listener on the same
 * name.
 */
const securityHeaders: readonly (readonly [string, string])[] = [
  ["x-content-type-options", "nosniff"],
  ["content-security-policy", "default-src 'none'; frame-ancestors 'none'; sandbox"],
  ["cross-origin-resource-policy", "same-origin"],
  ["referrer-policy", "no-referrer"],
  ["cache-control", "no-store"],
];

export interface HttpRouterOptions {
  readonly hosts: HostPolicy;
  readonly access: CallerAccess;
  readonly methods: ReadonlyMap<string, RpcMethod>;
  readonly routes: readonly (Route | RawRoute)[];
  readonly exchanges: ExchangeContext;
  readonly streams: StreamContext;
  readonly deadlines: UnaryDeadlines;
  readonly random: Random;
}

/** The request handlers shared by all listeners. */
export interface HttpFront {
  /**
   * Assigns the request id, checks Host and Origin, then serves the RPC method or route at the path; otherwise
   * NOT_FOUND.
   */
  readonly onRequest: RequestListener;
  /** The same for upgrade requests; undefined if no route accepts them. */
  readonly upgrades: UpgradeListener | undefined;
}

export function createHttpRouter(options: HttpRouterOptions): HttpFront {
  const checkSender = createHostCheck(options.hosts);
  const serve = (request: HttpRequest, response: HttpResponse, connection: RequestConnection): void => {
    const requestId = chooseRequestId(headerOf(request, requestIdHeader), options.random);
    const { noteAuthenticated, switched } = connection;
    const exchange = new Exchange(request, response, { requestId, context: options.exchanges, noteAuthenticated });
    response.setHeader(requestIdHeader, requestId);
    for (const [name, value] of securityHeaders) response.setHeader(name, value);
    // A page of another site can open a WebSocket by GET and then read and write, so its origin is checked as for a
    // write.
    const method = switched === undefined ? (request.method ?? "") : "upgrade";
    const refusal = checkSender({ method, host: authorityOf(request), origin: exchange.header("origin") });
    if (refusal !== undefined) {
      sendRefusal(exchange, refusal);
      return;
    }
    const rpc = options.methods.get(exchange.path);
    if (rpc === undefined) void serveRoute(exchange, options, switched);
    else rpc.serve(exchange);
  };
  const accepts: UpgradeListener["accepts"] = ({ url }) => takesUpgrades(findRoute(options.routes, pathOf(url)));
  const upgrades: UpgradeListener = {
    accepts,
    onUpgrade: (request, response, switched, noteAuthenticated) =>
      serve(request, response, { noteAuthenticated, switched }),
  };
  return {
    onRequest: (request, response, noteAuthenticated) => serve(request, response, { noteAuthenticated }),
    upgrades: options.routes.some(takesUpgrades) ? upgrades : undefined,
  };
}

/** The connection of a request, as far as serving it needs it. */
interface RequestConnection {
  readonly noteAuthenticated: () => void;
  /** Set for an upgrade request. */
  readonly switched?: SwitchedConnection;
}

function takesUpgrades(route: Route | RawRoute | undefined): boolean {
  return route !== undefined && "raw" in route && route.takesUpgrades === true;
}

async function serveRoute(
  exchange: Exchange,
  options: HttpRouterOptions,
  switched: SwitchedConnection | undefined,
): Promise<void> {
  try {
    const route = findRoute(options.routes, exchange.path);
    if (route === undefined) throw new FlotillaError("NOT_FOUND", "nothing is served at this path");
    exchange.method = route.path;
    exchange.isQuiet = route.isQuiet ?? false;
    const { access, streams, deadlines, exchanges } = options;
    if ("raw" in route)
      await serveRaw(route, exchange, { access, streams, deadlines, clock: exchanges.clock, switched });
    else await serveAnswer(route, exchange, options);
  } catch (reason) {
    sendError(exchange, reason);
  }
}

async function serveAnswer(route: Route, exchange: Exchange, options: HttpRouterOptions): Promise<void> {
  const method = exchange.request.method ?? "";
  const allowed = route.methods ?? ["GET", "HEAD"];
  if (!allowed.includes(method)) {
    exchange.response.setHeader("allow", allowed.join(", "));
    sendRefusal(exchange, { status: 405, code: "UNIMPLEMENTED", message: "this method is not served at this path" });
    return;
  }
  const { answer, caller } = await withDeadline(() => answerRoute(route, exchange, options.access), {
    clock: options.exchanges.clock,
    limitMs: options.deadlines.defaultMs,
    what: "the answer",
  });
  if (answer instanceof FileAnswer) {
    sendFile(exchange, answer);
    return;
  }
  if ("location" in answer) {
    sendRedirect(exchange, answer);
    return;
  }
  const isStream = "stream" in answer;
  const isInert = isStream ? answer.contentType === eventStreamType : isInertType(answer.contentType);
  assert(isInert, `${route.path} answered a content type that a browser may render as a page`);
  if (isStream) await sendStream(exchange, answer, { caller, streams: options.streams });
  else sendAnswer(exchange, answer);
}

interface Answered {
  readonly answer: RouteAnswer;
  readonly caller: Caller | undefined;
}

async function answerRoute(route: Route, exchange: Exchange, access: CallerAccess): Promise<Answered> {
  const caller = await checkAccess(route.access, exchange, access);
  return { answer: await route.handler(toRouteRequest(exchange, caller)), caller };
}
