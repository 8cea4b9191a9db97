// SPDX-License-Identifier: Apache-2.0

import type { Exchange } from "../http/exchange.ts";
import type { RouteRequest } from "../http/route.ts";
import type { Caller } from "./call-context.ts";

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
