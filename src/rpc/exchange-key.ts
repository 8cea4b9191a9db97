// SPDX-License-Identifier: Apache-2.0
import { type ContextValues, createContextKey } from "@connectrpc/connect";
import { assert } from "../base/assert.ts";
import type { Exchange } from "./exchange.ts";

/** How the parts of this folder find the HTTP exchange beneath a call; handlers have no use for it. */
export const exchangeKey = createContextKey<Exchange | undefined>(undefined, { description: "exchange" });

export function exchangeOf(values: ContextValues): Exchange {
  const exchange = values.get(exchangeKey);
  assert(exchange !== undefined, "a call runs only within an exchange");
  return exchange;
}

/** Where the call comes from, `address:port`, for logs and lists; who it is comes from its credentials. */
export function peerAddressOf(values: ContextValues): string {
  const { remoteAddress = "", remotePort = 0 } = exchangeOf(values).request.socket;
  return remoteAddress.includes(":") ? `[${remoteAddress}]:${remotePort}` : `${remoteAddress}:${remotePort}`;
}

/** The address that the call comes from, without its port: what limits by sender count by. Empty once the peer is gone. */
export function peerHostOf(values: ContextValues): string {
  return exchangeOf(values).request.socket.remoteAddress ?? "";
}
