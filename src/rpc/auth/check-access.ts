// SPDX-License-Identifier: Apache-2.0

import { credentialRequestOf } from "../http/credential-request.ts";
import type { Exchange } from "../http/exchange.ts";
import type { RouteAccess } from "../http/route.ts";
import type { Caller } from "../server/call-context.ts";
import { type AuthenticateOptions, authenticate } from "./authenticate.ts";
import { authorize, type CallAuthorizer } from "./authorize-call.ts";

/**
 * Returns the caller after checking that they may use the route; undefined for a public route. Throws UNAUTHENTICATED,
 * PERMISSION_DENIED or UNAVAILABLE.
 */
export async function checkAccess(
  access: RouteAccess,
  exchange: Exchange,
  options: AuthenticateOptions & { readonly authorizer: CallAuthorizer },
): Promise<Caller | undefined> {
  if (access.kind === "public") return undefined;
  const caller = await authenticate(credentialRequestOf(exchange), options, exchange.log);
  exchange.user = caller.subject.user;
  exchange.noteAuthenticated();
  if (access.kind !== "authenticated") await authorize(options.authorizer, caller.subject, access, exchange.log);
  return caller;
}
