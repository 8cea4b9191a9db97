// SPDX-License-Identifier: Apache-2.0
import type { CredentialRequest } from "../auth/authenticate.ts";
import { parseHost } from "../http/host-check.ts";

/** Ports that a browser leaves out of an Origin. */
const defaultPorts = { http: "80", https: "443" } as const;

/**
 * True if the call comes from a page of this hub (PG3). Evidence is `Sec-Fetch-Site`, which no page can set, and
 * `Origin`, whose scheme, host and port must equal the request's. At least one header must be present, and each present
 * one must match. So other ports, other schemes, sibling names, and callers that send neither header are refused.
 */
export function isSameOriginPage(request: CredentialRequest): boolean {
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
