// SPDX-License-Identifier: Apache-2.0
import type { CredentialRequest } from "./authenticate.ts";
import { parseHost } from "./host-check.ts";

/** What a browser may leave out of an Origin. */
const defaultPorts = { http: "80", https: "443" } as const;

/**
 * True if a page of this very hub makes the call (PG3). The browser says so, by `Sec-Fetch-Site`, which no page can set, and by
 * `Origin`: scheme, host and port are the request's own. At least one must be there, and each that is there must say it: a page
 * of another port, of another scheme or of a sibling name is not ours, and a caller that sends neither is no page.
 */
export function isOwnPage(request: CredentialRequest): boolean {
  const site = request.header("sec-fetch-site");
  const origin = request.header("origin");
  if (site === undefined && origin === undefined) return false;
  if (site !== undefined && site !== "same-origin") return false;
  return origin === undefined || isOwnOrigin(origin, request);
}

function isOwnOrigin(origin: string, { host, scheme }: CredentialRequest): boolean {
  const prefix = `${scheme}://`;
  if (host === undefined || !origin.startsWith(prefix)) return false;
  const [from, own] = [parseHost(origin.slice(prefix.length)), parseHost(host)];
  if (from === undefined || own === undefined) return false;
  const portOf = (port: string): string => (port === "" ? defaultPorts[scheme] : port);
  return from.name === own.name && portOf(from.port) === portOf(own.port);
}
