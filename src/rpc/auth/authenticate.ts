// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import type { Logger } from "../../base/log.ts";
import { isBearerToken } from "../../model/bearer-token.ts";
import type { Caller } from "../server/call-context.ts";

/** A token that is valid now, and the caller that it identifies. */
export interface VerifiedToken extends Caller {
  readonly kind: "verified";
}

/** Why a token was refused. The reason is sent to the caller only. */
export interface TokenRefusal {
  readonly kind: "refused";
  readonly reason: "unknown" | "expired" | "revoked";
}

/**
 * Verifies tokens. Implemented above this folder and wired in `main/`. Compares in constant time and never logs the
 * token.
 */
export interface TokenVerifier {
  verify(token: string): Promise<VerifiedToken | TokenRefusal> | VerifiedToken | TokenRefusal;
}

/** The parts of a request that a credential is read from. */
export interface CredentialRequest {
  /** Without the query. */
  readonly path: string;
  /** The scheme of the connection to this listener. A browser behind a proxy may have used another one. */
  readonly scheme: "http" | "https";
  /** The Host header or `:authority`, as sent. */
  readonly host: string | undefined;
  /** A header's value by its lower-case name. */
  header(name: string): string | undefined;
}

/** Reads one kind of credential from a request. Undefined if the request has none of that kind. */
export type CredentialReader = (request: CredentialRequest) => string | undefined;

/** Reads `Authorization: Bearer TOKEN`. Any other value of that header gives "", which is refused as unknown. */
export const bearerCredential: CredentialReader = (request) => {
  const value = request.header("authorization");
  if (value === undefined) return undefined;
  const token = /^Bearer +(\S+)$/i.exec(value)?.[1] ?? "";
  return isBearerToken(token) ? token : "";
};

const sentences: Readonly<Record<TokenRefusal["reason"], string>> = {
  unknown: "the token is not one of this hub; check it, or get another with `flotilla token create`",
  expired: "the token has expired; get a new one",
  revoked: "the token was revoked; get a new one",
};

/** The readers are called in order; the first credential found is the one that is verified. */
export interface AuthenticateOptions {
  readonly verifier: TokenVerifier;
  readonly credentials: readonly CredentialReader[];
}

/**
 * Returns the caller that the request's credential identifies. Throws UNAUTHENTICATED if there is no credential or it
 * was refused. Throws UNAVAILABLE if the verifier itself failed, so that clients keep their token and retry.
 */
export async function authenticate(
  request: CredentialRequest,
  options: AuthenticateOptions,
  log: Logger,
): Promise<Caller> {
  const token = firstCredential(request, options.credentials);
  if (token === undefined) {
    throw new FlotillaError("UNAUTHENTICATED", "no token was sent; send it as Authorization: Bearer TOKEN");
  }
  if (token === "") throw new FlotillaError("UNAUTHENTICATED", sentences.unknown);
  let result: VerifiedToken | TokenRefusal;
  try {
    result = await options.verifier.verify(token);
  } catch (reason) {
    log.error("token could not be checked", {}, reason);
    throw new FlotillaError("UNAVAILABLE", "tokens cannot be checked at the moment; try again", { cause: reason });
  }
  if (result.kind === "refused") throw new FlotillaError("UNAUTHENTICATED", sentences[result.reason]);
  if (result.ended.aborted) throw tokenEnded();
  return result;
}

/** The error that ends a stream when its token is revoked or expires. */
export function tokenEnded(): FlotillaError {
  return new FlotillaError("UNAUTHENTICATED", "the token was revoked or has expired; get a new one");
}

function firstCredential(request: CredentialRequest, readers: readonly CredentialReader[]): string | undefined {
  for (const read of readers) {
    const token = read(request);
    if (token !== undefined) return token;
  }
  return undefined;
}
