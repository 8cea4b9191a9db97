// SPDX-License-Identifier: Apache-2.0
// The cookie of the page: how it is named, set, cleared and read (PG1 to PG3).
import type { HandlerContext } from "@connectrpc/connect";
import { assert } from "../base/assert.ts";
import type { CredentialReader, CredentialRequest } from "./authenticate.ts";
import { schemeOf } from "./credential-request.ts";
import { exchangeOf } from "./exchange-key.ts";
import { isOwnPage } from "./own-page.ts";

/** What may stand in a cookie's name besides our own words (RFC 6265 section 4.1.1, less than it allows). */
const namePattern = /^[A-Za-z0-9_-]{1,64}$/;

/** A token's text; nothing in it needs quoting in a cookie. */
const tokenPattern = /^[A-Za-z0-9_-]{1,4096}$/;

/**
 * Browsers share the cookies of one host between its ports, so the name tells hubs apart. On TLS the prefix makes the browser
 * refuse one that anybody but this host, over TLS, has set.
 */
function cookieName(hubName: string, scheme: CredentialRequest["scheme"]): string {
  assert(namePattern.test(hubName), "a hub's name can stand in the name of a cookie");
  return scheme === "https" ? `__Host-flotilla-${hubName}` : `flotilla-${hubName}`;
}

/** Sets the cookie on the answer of this call. The browser forgets it after `maxAgeSeconds`; the hub does not rely on that. */
export function setSessionCookie(
  context: Pick<HandlerContext, "values" | "responseHeader">,
  {
    hubName,
    token,
    maxAgeSeconds,
  }: { readonly hubName: string; readonly token: string; readonly maxAgeSeconds: number },
): void {
  assert(tokenPattern.test(token) || token === "", "a token needs no quoting in a cookie");
  const scheme = schemeOf(exchangeOf(context.values).request);
  const parts = [
    `${cookieName(hubName, scheme)}=${token}`,
    "Path=/",
    `Max-Age=${maxAgeSeconds}`,
    "HttpOnly",
    "SameSite=Strict",
    ...(scheme === "https" ? ["Secure"] : []),
  ];
  context.responseHeader.append("set-cookie", parts.join("; "));
}

/** Makes the browser forget the cookie. */
export function clearSessionCookie(context: Pick<HandlerContext, "values" | "responseHeader">, hubName: string): void {
  setSessionCookie(context, { hubName, token: "", maxAgeSeconds: 0 });
}

/** Where the cookie counts. */
export interface CookiePlaces {
  readonly hubName: string;
  /** Whole paths, or with a dot or slash at the end what a path begins with. */
  readonly paths: readonly string[];
}

/**
 * Reads the cookie, on these paths and from a page of this hub only; elsewhere it is as if it were not sent. One that is there
 * twice does not count: one of the two was put there by somebody else.
 */
export function createCookieCredential({ hubName, paths }: CookiePlaces): CredentialReader {
  const names = { http: cookieName(hubName, "http"), https: cookieName(hubName, "https") } as const;
  const isPlace = (path: string): boolean =>
    paths.some((place) => (/[./]$/.test(place) ? path.startsWith(place) : path === place));
  return (request) => {
    const header = request.header("cookie");
    if (header === undefined || !isPlace(request.path) || !isOwnPage(request)) return undefined;
    const found = valuesOf(header, names[request.scheme]);
    const [token] = found;
    return found.length === 1 && token !== undefined && tokenPattern.test(token) ? token : undefined;
  };
}

/** Headers have a bound of their own (RP4), so this has one too. */
function valuesOf(header: string, name: string): readonly string[] {
  return header
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}
