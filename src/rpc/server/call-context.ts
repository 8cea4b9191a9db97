// SPDX-License-Identifier: Apache-2.0
import { type ContextValues, createContextKey } from "@connectrpc/connect";
import { assert } from "../../base/assert.ts";
import type { Logger } from "../../base/log.ts";
import type { Subject } from "../../model/subject.ts";
import type { Exchange } from "../http/exchange.ts";

/** The authenticated caller of a request. */
export interface Caller {
  readonly tokenId: string;
  readonly subject: Subject;
  /** Aborts when the token is revoked or expires. Streams opened with the token end then. */
  readonly ended: AbortSignal;
  /** Wall clock time at which the token expires; undefined if it does not expire. */
  readonly endsAtMs?: number | undefined;
}

/** One call, as its handler sees it. */
export interface Call {
  readonly requestId: string;
  /** Carries the request id in every line. */
  readonly log: Logger;
}

/**
 * Set on every call before any interceptor runs. Pass `contextValues: context.values` to outgoing calls to forward the
 * request id.
 */
export const callKey = createContextKey<Call | undefined>(undefined, { description: "call" });

/** Set once the caller's token is verified. */
export const callerKey = createContextKey<Caller | undefined>(undefined, { description: "caller" });

/** The call these values belong to. */
export function callOf(values: ContextValues): Call {
  const call = values.get(callKey);
  assert(call !== undefined, "a handler runs only within a call");
  return call;
}

/** The authenticated caller. Handlers always have one: unauthenticated calls are refused before the handler runs. */
export function callerOf(values: ContextValues): Caller {
  const caller = values.get(callerKey);
  assert(caller !== undefined, "a handler runs only for an authenticated caller");
  return caller;
}

/** Context key of the HTTP exchange that carries a call. Handlers do not need it. */
export const exchangeKey = createContextKey<Exchange | undefined>(undefined, { description: "exchange" });

export function exchangeOf(values: ContextValues): Exchange {
  const exchange = values.get(exchangeKey);
  assert(exchange !== undefined, "a call runs only within an exchange");
  return exchange;
}

/** The peer's `address:port`, for logs and lists. It does not identify the caller; credentials do. */
export function peerAddressOf(values: ContextValues): string {
  const { remoteAddress = "", remotePort = 0 } = exchangeOf(values).request.socket;
  return remoteAddress.includes(":") ? `[${remoteAddress}]:${remotePort}` : `${remoteAddress}:${remotePort}`;
}

/** The peer's address without its port, used for limits per sender. Empty once the peer has disconnected. */
export function peerHostOf(values: ContextValues): string {
  return exchangeOf(values).request.socket.remoteAddress ?? "";
}
