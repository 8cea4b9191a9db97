// SPDX-License-Identifier: Apache-2.0
import type { CredentialRequest } from "../auth/authenticate.ts";
import type { Exchange } from "./exchange.ts";
import { type HttpRequest, headerOf } from "./http-types.ts";

/** The parts of the exchange's request that credentials are read from. */
export function credentialRequestOf(exchange: Pick<Exchange, "path" | "request">): CredentialRequest {
  const { path, request } = exchange;
  return { path, scheme: schemeOf(request), host: authorityOf(request), header: (name) => headerOf(request, name) };
}

/** The `:authority` of HTTP/2, else the `Host` header. */
export function authorityOf(request: HttpRequest): string | undefined {
  return "authority" in request && request.authority !== undefined ? request.authority : headerOf(request, "host");
}

/** Decided by the socket; headers of the peer are ignored. */
export function schemeOf({ socket }: HttpRequest): CredentialRequest["scheme"] {
  return "encrypted" in socket && socket.encrypted ? "https" : "http";
}
