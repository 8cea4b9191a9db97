// SPDX-License-Identifier: Apache-2.0
// The login cookie of the page: its name, setting, clearing and reading (PG1 to PG3).
import type { HandlerContext } from "@connectrpc/connect";
import { assert } from "../../base/assert.ts";
import { schemeOf } from "../http/credential-request.ts";
import { isSameOriginPage } from "../page/same-origin-page.ts";
import { exchangeOf } from "../server/call-context.ts";
import type { CredentialReader, CredentialRequest } from "./authenticate.ts";

/** Characters allowed in a hub's name inside a cookie name (stricter than RFC 6265 section 4.1.1). */
const namePattern = /^[A-Za-z0-9_-]{1,64}$/;

/** A token's text. It needs no quoting in a cookie. */
const tokenPattern = /^[A-Za-z0-9_-]{1,4096}$/;

/**
 * Browsers share the cookies of a host between its ports, so the name contains the hub's name. On TLS, with the prefix
 * `__Host-` browsers accept the cookie only from this host over TLS.
 */
function cookieName(hubName: string, scheme: CredentialRequest["scheme"]): string {
  assert(namePattern.test(hubName), "a hub's name can stand in the name of a cookie");
  return scheme === "https" ? `__Host-flotilla-${hubName}` : `flotilla-${hubName}`;
}

/**
 * Sets the cookie on the response of this call. The browser deletes it after `maxAgeSeconds`; the hub does not rely on
 * that.
 */
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

/** Makes the browser delete the cookie. */
export function clearSessionCookie(context: Pick<HandlerContext, "values" | "responseHeader">, hubName: string): void {
  setSessionCookie(context, { hubName, token: "", maxAgeSeconds: 0 });
}

/** Where the cookie is accepted. */
export interface CookiePlaces {
  readonly hubName: string;
  /** Exact paths; a path that ends in a dot or slash is a prefix. */
  readonly paths: readonly string[];
}

/**
 * Reads the cookie, only on these paths and only from a page of this hub. Otherwise it is ignored. A cookie that occurs
 * twice is ignored, because another party may have set one of the two.
 */
export function createCookieCredential({ hubName, paths }: CookiePlaces): CredentialReader {
  const names = { http: cookieName(hubName, "http"), https: cookieName(hubName, "https") } as const;
  const isPlace = (path: string): boolean =>
    paths.some((place) => (/[./]$/.test(place) ? path.startsWith(place) : path === place));
  return (request) => {
    const header = request.header("cookie");
    if (header === undefined || !isPlace(request.path) || !isSameOriginPage(request)) return undefined;
    const found = valuesOf(header, names[request.scheme]);
    const [token] = found;
    return found.length === 1 && token !== undefined && tokenPattern.test(token) ? token : undefined;
  };
}

/** Bounded by the size limit of the headers (RP4). */
function valuesOf(header: string, name: string): readonly string[] {
  return header
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}
