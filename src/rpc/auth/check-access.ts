// SPDX-License-Identifier: Apache-2.0

import { credentialRequestOf } from "../http/credential-request.ts";
import type { Exchange } from "../http/exchange.ts";
import type { RouteAccess } from "../http/route.ts";
import type { Caller } from "../server/call-context.ts";
import { type AuthenticateOptions, authenticate } from "./authenticate.ts";
import { authorize, type CallAuthorizer } from "./authorize-call.ts";

/** How callers are identified and their rights decided. */
export interface CallerAccess extends AuthenticateOptions {
  readonly authorizer: CallAuthorizer;
}

/** The caller that the exchange's credential identifies. Throws UNAUTHENTICATED or UNAVAILABLE. */
export async function proveCaller(exchange: Exchange, access: AuthenticateOptions): Promise<Caller> {
  const caller = await authenticate(credentialRequestOf(exchange), access, exchange.log);
  exchange.user = caller.subject.user;
  exchange.noteAuthenticated();
  return caller;
}

/**
 * Returns the caller after checking that they may use the route; undefined for a public route. Throws UNAUTHENTICATED,
 * PERMISSION_DENIED or UNAVAILABLE.
 */
export async function checkAccess(
  needed: RouteAccess,
  exchange: Exchange,
  access: CallerAccess,
): Promise<Caller | undefined> {
  if (needed.kind === "public") return undefined;
  const caller = await proveCaller(exchange, access);
  if (needed.kind !== "authenticated") await authorize(access.authorizer, caller.subject, needed, exchange.log);
  return caller;
}
