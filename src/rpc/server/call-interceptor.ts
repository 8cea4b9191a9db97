// SPDX-License-Identifier: Apache-2.0
// Runs around every handler: permission checks by object name, deadlines, the end of streams, error conversion.
import type { DescMethod, Message } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  type Interceptor,
  type StreamRequest,
  type StreamResponse,
  type UnaryRequest,
  type UnaryResponse,
} from "@connectrpc/connect";
import { isCancellation, onAbort, orAborted } from "../../base/abort.ts";
import { BugError } from "../../base/assert.ts";
import type { Clock } from "../../base/time/clock.ts";
import { withDeadline } from "../../base/time/deadline.ts";
import { tokenEnded } from "../auth/authenticate.ts";
import { authorize, type CallAuthorizer } from "../auth/authorize-call.ts";
import { type DeclaredPermission, withNameOf } from "../auth/permission.ts";
import { hubCloses, type StreamContext } from "../http/stream-limit.ts";
import { toConnectError } from "../rpc-error.ts";
import { checkFirst, endStreamOnAbort, linkSignals } from "./abortable-stream.ts";
import { callerOf, callOf, exchangeOf } from "./call-context.ts";
import { isPeerDisconnectedError } from "./peer-disconnected.ts";

/** Time limits for unary calls. A client's own deadline counts if it is shorter than `maxMs`. */
export interface UnaryDeadlines {
  /** Used when the client sets no deadline. */
  readonly defaultMs: number;
  readonly maxMs: number;
}

export interface CallInterceptorOptions {
  readonly authorizer: CallAuthorizer;
  readonly permissions: ReadonlyMap<DescMethod, DeclaredPermission>;
  readonly deadlines: UnaryDeadlines;
  readonly clock: Clock;
  /** When the hub closes, streams end with UNAVAILABLE; unary calls may finish. */
  readonly streams: StreamContext;
  /** Called when a handler threw a BugError, after the caller got INTERNAL. `main/` ends the process. */
  readonly onBug: (bug: BugError) => void;
}

/** The interceptor of all calls. Everything it throws is a ConnectError that is safe to send to the caller. */
export function createCallInterceptor(options: CallInterceptorOptions): Interceptor {
  return (next) => async (request) => {
    const { requestId, log } = callOf(request.contextValues);
    const toWire = (reason: unknown): ConnectError => {
      const { isPeerGone } = exchangeOf(request.contextValues);
      const isGone = (isPeerGone && isCancellation(request.signal, reason)) || isPeerDisconnectedError(reason);
      const error = isGone
        ? new ConnectError("the caller went away", Code.Canceled)
        : toConnectError(reason, requestId);
      if (error.code === Code.Internal) log.error("unexpected internal error", { method: nameOf(request) }, reason);
      if (reason instanceof BugError) options.onBug(reason);
      return error;
    };
    try {
      if (!request.stream) return await answerUnary(next, request, options);
      return await answerStream(next, request, options, toWire);
    } catch (reason) {
      throw toWire(reason);
    }
  };
}

type Next = Parameters<Interceptor>[0];

async function answerUnary(next: Next, request: UnaryRequest, options: CallInterceptorOptions): Promise<UnaryResponse> {
  const { defaultMs, maxMs } = options.deadlines;
  const hasOwn = request.header.has("connect-timeout-ms") || request.header.has("grpc-timeout");
  const run = async (signal: AbortSignal): ReturnType<Next> => {
    await checkName(request.message, request, options);
    return next({ ...request, signal });
  };
  const answer = await withDeadline(run, {
    clock: options.clock,
    limitMs: hasOwn ? maxMs : defaultMs,
    what: `the answer of ${nameOf(request)}`,
    signal: request.signal,
  });
  if (answer.stream) throw new BugError("a unary call was answered with a stream");
  return answer;
}

/** A stream ends when its call, its token or the hub ends, even while its handler is waiting for something. */
async function answerStream(
  next: Next,
  request: StreamRequest,
  options: CallInterceptorOptions,
  toWire: (reason: unknown) => ConnectError,
): Promise<StreamResponse> {
  const caller = callerOf(request.contextValues);
  const { closing, metrics, limit } = options.streams;
  const leave = limit.enter(caller);
  const link = linkSignals([
    { signal: request.signal },
    { signal: caller.ended, reason: tokenEnded },
    { signal: closing, reason: hubCloses },
  ]);
  // A peer that stopped reading would never see the end, so the deadline for taking an answer starts here too.
  onAbort(link.signal, () => exchangeOf(request.contextValues).expectEnd());
  link.onEnd(leave);
  metrics.streamOpened(nameOf(request));
  link.onEnd(() => metrics.streamClosed(nameOf(request)));
  try {
    const needsName = options.permissions.get(request.method);
    const message =
      needsName?.kind === "resource" && needsName.nameField !== undefined
        ? checkFirst(request.message, (first) => checkName(first, request, options))
        : request.message;
    const answer = await orAborted(next({ ...request, message, signal: link.signal }), link.signal);
    if (!answer.stream) throw new BugError("a streaming call was answered with one message");
    return { ...answer, message: endStreamOnAbort(answer.message, link, toWire) };
  } catch (reason) {
    link.end();
    throw reason;
  }
}

async function checkName(
  message: Message,
  request: UnaryRequest | StreamRequest,
  { permissions, authorizer }: CallInterceptorOptions,
): Promise<void> {
  const declared = permissions.get(request.method);
  if (declared?.kind !== "resource" || declared.nameField === undefined) return;
  const { subject } = callerOf(request.contextValues);
  const { log } = callOf(request.contextValues);
  await authorize(authorizer, subject, withNameOf(declared, message, request.method), log);
}

function nameOf({ method }: { readonly method: DescMethod }): string {
  return `/${method.parent.typeName}/${method.name}`;
}
