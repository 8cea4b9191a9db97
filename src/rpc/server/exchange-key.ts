// SPDX-License-Identifier: Apache-2.0
import { type ContextValues, createContextKey } from "@connectrpc/connect";
import { assert } from "../../base/assert.ts";
import type { Exchange } from "../http/exchange.ts";

/** Context key of the HTTP exchange that carries a call. For this folder only; handlers do not need it. */
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
