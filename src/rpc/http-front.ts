// SPDX-License-Identifier: Apache-2.0
import { assert } from "../base/assert.ts";
import type { Clock } from "../base/clock.ts";
import { withDeadline } from "../base/deadline.ts";
import { FlotillaError } from "../base/error.ts";
import { errorCodes } from "../base/error-codes.ts";
import type { Logger } from "../base/log.ts";
import type { Random } from "../base/random.ts";
import type { TaskGuard } from "../base/task-guard.ts";
import { type AuthenticateOptions, authenticate } from "./authenticate.ts";
import { type Authorizer, authorize } from "./authorize.ts";
import type { Caller } from "./call-context.ts";
import type { UnaryDeadlines } from "./call-interceptor.ts";
import type { RpcMethod } from "./connect-router.ts";
import { authorityOf, credentialRequestOf } from "./credential-request.ts";
import { Exchange, type ExchangeLimits } from "./exchange.ts";
import { FileAnswer } from "./file-answer.ts";
import { createHostCheck, type HostPolicy, type SenderRefusal } from "./host-check.ts";
import { headerOf, type RequestListener } from "./http-types.ts";
import { chooseRequestId, requestIdHeader } from "./request-id.ts";
import {
  type Answer,
  eventStreamType,
  findRoute,
  isInertType,
  type RedirectAnswer,
  type Route,
  type WholeAnswer,
} from "./route.ts";
import { challenge, toSafeError } from "./rpc-error.ts";
import type { RpcMetrics } from "./rpc-metrics.ts";
import { sendStream } from "./stream-answer.ts";
import type { StreamLimit } from "./stream-limit.ts";

/**
 * On every answer. The policy makes even a page inert that a route should never have sent; it is for answers of an API, and
 * pages bring their own. No Strict-Transport-Security: it would lock browsers out of the plain listener on the same name.
 */
const securityHeaders: readonly (readonly [string, string])[] = [
  ["x-content-type-options", "nosniff"],
  ["content-security-policy", "default-src 'none'; frame-ancestors 'none'; sandbox"],
  ["cross-origin-resource-policy", "same-origin"],
  ["referrer-policy", "no-referrer"],
  ["cache-control", "no-store"],
];

export interface HttpFrontOptions extends AuthenticateOptions, HostPolicy {
  readonly authorizer: Authorizer;
  readonly methods: ReadonlyMap<string, RpcMethod>;
  readonly routes: readonly Route[];
  readonly limits: ExchangeLimits;
  readonly deadlines: UnaryDeadlines;
  /** Aborts when the hub closes: streams end, whole answers may finish. */
  readonly closing: AbortSignal;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: RpcMetrics;
  readonly guard: TaskGuard;
  readonly streams: StreamLimit;
}

/** One request listener for all listeners: request id, Host, Origin, then the RPC or route of the path, else NOT_FOUND. */
export function createHttpFront(options: HttpFrontOptions): RequestListener {
  const checkSender = createHostCheck(options);
  return (request, response, noteAuthenticated) => {
    const requestId = chooseRequestId(headerOf(request, requestIdHeader), options.random);
    const exchange = new Exchange(request, response, { ...options, requestId, noteAuthenticated });
    response.setHeader(requestIdHeader, requestId);
    for (const [name, value] of securityHeaders) response.setHeader(name, value);
    const { method = "" } = request;
    const refusal = checkSender({ method, host: authorityOf(request), origin: exchange.header("origin") });
    if (refusal !== undefined) {
      sendRefusal(exchange, refusal);
      return;
    }
    const rpc = options.methods.get(exchange.path);
    if (rpc === undefined) void serveRoute(exchange, options);
    else rpc.serve(exchange);
  };
}

async function serveRoute(exchange: Exchange, options: HttpFrontOptions): Promise<void> {
  try {
    const route = findRoute(options.routes, exchange.path);
    if (route === undefined) throw new FlotillaError("NOT_FOUND", "nothing is served at this path");
    exchange.method = route.path;
    exchange.isQuiet = route.isQuiet ?? false;
    const method = exchange.request.method ?? "";
    const allowed = route.methods ?? ["GET", "HEAD"];
    if (!allowed.includes(method)) {
      exchange.response.setHeader("allow", allowed.join(", "));
      sendRefusal(exchange, { status: 405, code: "UNIMPLEMENTED", message: "this method is not served at this path" });
      return;
    }
    const { answer, caller } = await withDeadline(() => answerRoute(route, exchange, options), {
      clock: options.clock,
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
    assert(isInert, `${route.path} answered a type that a browser may take for a page`);
    if (isStream) await sendStream(exchange, answer, { ...options, caller });
    else sendAnswer(exchange, answer);
  } catch (reason) {
    sendError(exchange, reason);
  }
}

interface Answered {
  readonly answer: Answer;
  readonly caller: Caller | undefined;
}

async function answerRoute(route: Route, exchange: Exchange, options: HttpFrontOptions): Promise<Answered> {
  const caller = await checkAccess(route, exchange, options);
  const { path, requestId, log, request } = exchange;
  const query = new URLSearchParams(request.url?.slice(path.length) ?? "");
  const header = (name: string): string | undefined => exchange.header(name);
  const method = request.method ?? "";
  const address = request.socket.remoteAddress ?? "";
  return { answer: await route.handler({ method, path, query, requestId, address, caller, log, header }), caller };
}

async function checkAccess(
  { access }: Route,
  exchange: Exchange,
  options: HttpFrontOptions,
): Promise<Caller | undefined> {
  if (access.kind === "public") return undefined;
  const caller = await authenticate(credentialRequestOf(exchange), options, exchange.log);
  exchange.user = caller.subject.user;
  exchange.noteAuthenticated();
  if (access.kind !== "authenticated") await authorize(options.authorizer, caller.subject, access, exchange.log);
  return caller;
}

function sendAnswer(exchange: Exchange, { status, contentType, body }: WholeAnswer): void {
  exchange.response.setHeader("content-type", contentType);
  sendBody(exchange, status, typeof body === "string" ? Buffer.from(body) : body);
}

/** A file brings the policy and the caching of a page, in place of those of an API. */
function sendFile(exchange: Exchange, { status, headers, body }: FileAnswer): void {
  for (const [name, value] of headers) exchange.response.setHeader(name, value);
  sendBody(exchange, status, body);
}

function sendRedirect(exchange: Exchange, { status, location }: RedirectAnswer): void {
  exchange.response.setHeader("location", location);
  sendBody(exchange, status, new Uint8Array());
}

function sendBody(exchange: Exchange, status: number, body: Uint8Array): void {
  const { response } = exchange;
  exchange.code = status < 400 ? "ok" : `http_${status}`;
  response.statusCode = status;
  // A 304 has no body, and its length would be taken for that of the copy.
  if (status !== 304) response.setHeader("content-length", body.length);
  exchange.responseBytes = body.length;
  if (exchange.request.method === "HEAD" || status === 304) response.end();
  else response.end(body);
  exchange.expectEnd();
}

function sendError(exchange: Exchange, reason: unknown): void {
  const { response, requestId } = exchange;
  const error = toSafeError(reason, requestId);
  if (error.code === "INTERNAL") {
    exchange.log.error("request failed in a way nobody foresaw", { method: exchange.method }, reason);
  }
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (error.code === "UNAUTHENTICATED") response.setHeader("www-authenticate", challenge);
  sendRefusal(exchange, { status: errorCodes[error.code].http, code: error.code, message: error.message });
  exchange.code = errorCodes[error.code].connect;
}

/** A failure as JSON: code, sentence, request id. */
function sendRefusal(exchange: Exchange, { status, code, message }: SenderRefusal): void {
  const body = JSON.stringify({ code, message, requestId: exchange.requestId });
  sendAnswer(exchange, { status, contentType: "application/json", body });
}
