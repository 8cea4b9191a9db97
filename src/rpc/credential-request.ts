// SPDX-License-Identifier: Apache-2.0
import type { CredentialRequest } from "./authenticate.ts";
import type { Exchange } from "./exchange.ts";
import { type HttpRequest, headerOf } from "./http-types.ts";

/** What the request says of its sender. */
export function credentialRequestOf(exchange: Pick<Exchange, "path" | "request">): CredentialRequest {
  const { path, request } = exchange;
  return { path, scheme: schemeOf(request), host: authorityOf(request), header: (name) => headerOf(request, name) };
}

/** HTTP/2 has `:authority`, and may have `host` in its place. */
export function authorityOf(request: HttpRequest): string | undefined {
  return "authority" in request && request.authority !== undefined ? request.authority : headerOf(request, "host");
}

/** By the socket: no header of the peer has a say in it. */
export function schemeOf({ socket }: HttpRequest): CredentialRequest["scheme"] {
  return "encrypted" in socket && socket.encrypted ? "https" : "http";
}
