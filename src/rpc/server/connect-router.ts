// SPDX-License-Identifier: Apache-2.0
// Connect, gRPC and gRPC-Web for a list of services. Built on the router of connect-es, not on its Node adapter: the
// adapter reads bodies without a deadline, keeps reading refused uploads, and logs errors to the console.
import type { DescMethod, DescService } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  type ConnectRouterOptions,
  createConnectRouter,
  createContextValues,
  type ServiceImpl,
} from "@connectrpc/connect";
import type { UniversalHandler, UniversalServerResponse } from "@connectrpc/connect/protocol";
import {
  compressionBrotli,
  compressionGzip,
  universalRequestFromNodeRequest,
  universalResponseToNodeResponse,
} from "@connectrpc/connect-node";
import { FlotillaError } from "../../base/error.ts";
import { maxUnauthenticatedBytes } from "../../session/hub/session-limits.ts";
import type { CallerAccess } from "../auth/check-access.ts";
import { type DeclaredPermission, isSingle, permissionOf } from "../auth/permission.ts";
import type { Exchange } from "../http/exchange.ts";
import { type BodyLimits, readBody } from "../http/request-body.ts";
import { toConnectError } from "../rpc-error.ts";
import { callKey, exchangeKey, exchangeOf } from "./call-context.ts";
import { type CallInterceptorOptions, createCallInterceptor } from "./call-interceptor.ts";
import { isPeerDisconnectedError } from "./peer-disconnected.ts";
import { checkRequest } from "./request-checks.ts";

/**
 * One service and its implementation. A method that is left out answers UNIMPLEMENTED to callers with permission for
 * it.
 */
export interface ServiceEntry {
  readonly service: DescService;
  readonly implementation: Partial<ServiceImpl<DescService>>;
  /** Why methods are left out, as a sentence for their callers. */
  readonly whyAbsent?: string;
}

/** Whether a hub with this entry answers a method. */
export function isImplemented({ implementation }: ServiceEntry, { localName }: DescMethod): boolean {
  return implementation[localName] !== undefined;
}

/** An entry whose implementation is checked against its service. */
export function serviceEntry<S extends DescService>(service: S, implementation: Partial<ServiceImpl<S>>): ServiceEntry {
  return { service, implementation };
}

export interface RpcRouterOptions extends Omit<CallInterceptorOptions, "permissions" | "authorizer"> {
  readonly access: CallerAccess;
  readonly services: readonly ServiceEntry[];
  readonly maxMessageBytes: number;
}

/** 4 MB, close to gRPC's default. Larger states are split into several messages. */
export const defaultMaxMessageBytes = 4_000_000;

/** A method that can be served. */
export interface RpcMethod {
  readonly path: string;
  /** Answers the exchange. Never throws. */
  serve(exchange: Exchange): void;
}

/**
 * The methods of all services, by path. Throws for a contradictory permission declaration, before anything is served.
 */
export function createRpcRouter({
  services,
  maxMessageBytes,
  access,
  streams,
  deadlines,
  clock,
  onBug,
}: RpcRouterOptions): ReadonlyMap<string, RpcMethod> {
  const permissions = new Map<DescMethod, DeclaredPermission>();
  for (const { service } of services) {
    for (const method of service.methods) permissions.set(method, permissionOf(method));
  }
  const isPublic = (method: DescMethod): boolean => permissions.get(method)?.kind === "public";
  const publicBytes = Math.min(maxUnauthenticatedBytes, maxMessageBytes);
  const maxBytesOf = (method: DescMethod): number => (isPublic(method) ? publicBytes : maxMessageBytes);
  const gate = { access, permissions, maxBytesOf, clock, checkTimeoutMs: deadlines.defaultMs };
  const { authorizer } = access;
  const interceptors = [createCallInterceptor({ authorizer, permissions, deadlines, clock, streams, onBug })];
  const handlersWith = (
    limits: Pick<ConnectRouterOptions, "readMaxBytes" | "acceptCompression">,
  ): UniversalHandler[] => {
    const router = createConnectRouter({
      interceptors,
      requestGate: (context) => checkRequest(context, exchangeOf(context.values), gate),
      ...limits,
    });
    for (const entry of services) router.service(entry.service, { ...absentMethods(entry), ...entry.implementation });
    return router.handlers;
  };
  const acceptCompression = [compressionGzip, compressionBrotli];
  const handlers = [
    ...handlersWith({ readMaxBytes: maxMessageBytes, acceptCompression }).filter(({ method }) => !isPublic(method)),
    ...handlersWith({ readMaxBytes: publicBytes, acceptCompression }).filter(
      ({ method }) => isPublic(method) && isSingle(method),
    ),
    // Public streams accept no compression: a stream may send large messages only after its sender is authenticated,
    // and before that a few compressed bytes must not expand.
    ...handlersWith({ readMaxBytes: maxMessageBytes, acceptCompression: [] }).filter(
      ({ method }) => isPublic(method) && !isSingle(method),
    ),
  ];
  const limitsOf = (method: DescMethod): BodyLimits => ({
    maxMessageBytes: isSingle(method) ? maxBytesOf(method) : undefined,
    maxUnauthenticatedBytes: publicBytes,
  });
  return new Map(
    handlers.map((handler) => [
      handler.requestPath,
      {
        path: handler.requestPath,
        serve: (exchange) => void serveCall(handler, exchange, limitsOf(handler.method)),
      },
    ]),
  );
}

/** Methods that throw the reason of their absence; none without a reason: Connect has its own sentence then. */
function absentMethods({ service, whyAbsent }: ServiceEntry): object {
  if (whyAbsent === undefined) return {};
  const refuse = (): never => {
    throw new FlotillaError("UNIMPLEMENTED", whyAbsent);
  };
  return Object.fromEntries(service.methods.map(({ localName }) => [localName, refuse]));
}

async function serveCall(handler: UniversalHandler, exchange: Exchange, limits: BodyLimits): Promise<void> {
  exchange.method = handler.requestPath;
  const { requestId, log } = exchange;
  const values = createContextValues().set(callKey, { requestId, log }).set(exchangeKey, exchange);
  try {
    const request = universalRequestFromNodeRequest(exchange.request, exchange.response, undefined, values);
    // Registered before Connect's own listener, so that the exchange knows that the peer left when Connect reports the
    // outcome.
    request.signal.addEventListener("abort", () => exchange.notePeerGone(), { once: true });
    const answer = await handler({ ...request, body: wireBody(exchange, limits) });
    if (!exchange.isJudged) exchange.code = `http_${answer.status}`; // refused by protocol negotiation, before the gate
    await universalResponseToNodeResponse(watchEnd(answer, exchange), exchange.response);
  } catch (reason) {
    if (exchange.isPeerGone || exchange.response.destroyed || isPeerDisconnectedError(reason)) return;
    log.error("answer could not be written", { method: exchange.method }, reason);
    exchange.response.destroy();
  }
}

/** The request body for Connect. Its errors are ConnectErrors that are safe to send to the caller. */
async function* wireBody(exchange: Exchange, limits: BodyLimits): AsyncIterable<Uint8Array> {
  try {
    yield* readBody(exchange, limits);
  } catch (reason) {
    if (reason instanceof FlotillaError) throw toConnectError(reason, exchange.requestId);
    throw new ConnectError("the request was broken off", Code.Canceled, undefined, undefined, reason);
  }
}

/**
 * Returns the same answer with its bytes counted. The end of the body starts the deadline for the peer to take the
 * answer.
 */
function watchEnd(answer: UniversalServerResponse, exchange: Exchange): UniversalServerResponse {
  const { body } = answer;
  if (body === undefined) {
    exchange.expectEnd();
    return answer;
  }
  const note = (step: IteratorResult<Uint8Array>): IteratorResult<Uint8Array> => {
    if (step.done === true) exchange.expectEnd();
    else exchange.responseBytes += step.value.length;
    return step;
  };
  return {
    ...answer,
    body: {
      [Symbol.asyncIterator]() {
        const inner = body[Symbol.asyncIterator]();
        // `throw` and `return` are forwarded: Connect uses them to end the call when writing fails.
        return {
          next: async () => note(await inner.next()),
          throw: async (reason: unknown) => (await inner.throw?.(reason)) ?? { done: true, value: undefined },
          return: async () => (await inner.return?.()) ?? { done: true, value: undefined },
        };
      },
    },
  };
}
