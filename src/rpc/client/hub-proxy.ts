// SPDX-License-Identifier: Apache-2.0
// Dials a hub through an HTTP proxy: a CONNECT tunnel, and TLS to the hub through it (IN24).
import { connect, type TLSSocket } from "node:tls";
import { FlotillaError } from "../../base/error.ts";
import { dialProxy, tlsNamesOf } from "../../kube/connection/dial-proxy.ts";
import { chooseProxy, hostOf, portOf, showProxy } from "../../kube/connection/proxy.ts";
import { nearReasonOfHost } from "../../kube/credentials/local-address.ts";

export interface HubProxyDial {
  /** `https://host:port` of the hub. */
  readonly url: string;
  readonly proxy: URL;
  /** PEM text of the CA to trust for the hub in place of the system's. */
  readonly ca: string | undefined;
  readonly dialTimeoutMs: number;
}

/**
 * A quarter of the total time, so that a proxy with an unreachable IPv6 address is still reached by another address.
 */
const attemptPart = 0.25;

/**
 * The proxy from the environment variables for a hub; undefined: no proxy. Loopback and link-local hubs use none.
 * Throws CONFIG_INVALID if a variable is not a URL.
 */
export function chooseHubProxy(
  url: string,
  environment: Readonly<Record<string, string | undefined>>,
): URL | undefined {
  const server = new URL(url);
  return nearReasonOfHost(server.hostname) === undefined ? chooseProxy(server, undefined, environment) : undefined;
}

/**
 * Returns a TLS socket to the hub whose handshake has started. Rejects with UNAVAILABLE if the proxy opens no tunnel;
 * nothing stays open then.
 */
export async function dialHubByProxy(
  { url, proxy, ca, dialTimeoutMs }: HubProxyDial,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const server = new URL(url);
  try {
    const authority = `${server.hostname}:${portOf(server)}`;
    const attemptMs = dialTimeoutMs * attemptPart;
    const socket = await dialProxy({ proxy, authority, ca: undefined, attemptMs }, signal);
    return connect({
      ...tlsNamesOf(hostOf(server)),
      ...(ca === undefined ? {} : { ca }),
      socket,
      ALPNProtocols: ["h2"],
    });
  } catch (reason) {
    if (signal.aborted) throw reason;
    const why = reason instanceof Error ? reason.message : "it cannot be reached";
    throw new FlotillaError(
      "UNAVAILABLE",
      `the hub at ${url} cannot be reached by the proxy ${showProxy(proxy)}: ${why}`,
      { cause: reason },
    );
  }
}
