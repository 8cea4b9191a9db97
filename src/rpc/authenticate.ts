// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../base/error.ts";
import type { Logger } from "../base/log.ts";
import type { Caller } from "./call-context.ts";

/** A token that counts. */
export interface VerifiedToken extends Caller {
  readonly kind: "verified";
}

/** Why a token does not count. Told to whoever holds it, and to nobody else. */
export interface TokenRefusal {
  readonly kind: "refused";
  readonly reason: "unknown" | "expired" | "revoked";
}

/** Knows tokens. Implemented above this folder and wired in `main/`; compares in constant time, and never logs the token. */
export interface TokenVerifier {
  verify(token: string): Promise<VerifiedToken | TokenRefusal> | VerifiedToken | TokenRefusal;
}

/** What of a request says who sends it, and from where. */
export interface CredentialRequest {
  /** Without the query. */
  readonly path: string;
  /** How this listener was reached, which is not always how a browser began: a proxy may stand between. */
  readonly scheme: "http" | "https";
  /** The Host header or `:authority`, as sent. */
  readonly host: string | undefined;
  /** A header's value by its lower-case name. */
  header(name: string): string | undefined;
}

/** Finds a credential in a request: undefined where it carries none of this reader's kind. */
export type CredentialReader = (request: CredentialRequest) => string | undefined;

/** A token68 of RFC 7235, at most 4 kB: ours are below 100 characters, other issuers' signed ones are some kB. */
const bearer = /^Bearer +([A-Za-z0-9._~+/-]{1,4096}=*)$/i;

/** `Authorization: Bearer TOKEN`. Something else in that header is a credential we do not know, so it is refused as unknown. */
export const bearerCredential: CredentialReader = (request) => {
  const value = request.header("authorization");
  if (value === undefined) return undefined;
  return bearer.exec(value)?.[1] ?? "";
};

const sentences: Readonly<Record<TokenRefusal["reason"], string>> = {
  unknown: "the token is not valid",
  expired: "the token has expired; get a new one",
  revoked: "the token was revoked; get a new one",
};

/** What authentication needs; the readers are asked in order and the first credential found decides. */
export interface AuthenticateOptions {
  readonly verifier: TokenVerifier;
  readonly credentials: readonly CredentialReader[];
}

/**
 * The caller that the request's credential proves. Throws UNAUTHENTICATED without one or with one that does not count, and
 * UNAVAILABLE when the verifier itself failed: nobody passes, but the caller need not throw its token away.
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

/** The failure that ends a stream whose token ended. */
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
