// SPDX-License-Identifier: Apache-2.0
// The way to a hub by an HTTP proxy: a tunnel by CONNECT, and TLS to the hub through it (IN24).
import { connect, type TLSSocket } from "node:tls";
import { FlotillaError } from "../base/error.ts";
import { dialProxy, tlsNamesOf } from "../kube/connection/dial-proxy.ts";
import { chooseProxy, hostOf, portOf, showProxy } from "../kube/connection/proxy.ts";
import { nearReasonOfHost } from "../kube/credentials/near-address.ts";

/** What a dial by a proxy needs. */
export interface HubProxyDial {
  /** `https://host:port` of the hub. */
  readonly url: string;
  readonly proxy: URL;
  /** PEM text of the CA to trust for the hub in place of the system's. */
  readonly ca: string | undefined;
  readonly dialTimeoutMs: number;
}

/** A quarter of the time for all: a proxy with a dead IPv6 address is reached by its other one in time. */
const attemptPart = 0.25;

/** The proxy that the environment names for a hub; undefined: none. A hub on this machine or its link needs none. Throws CONFIG_INVALID for a variable that is no URL. */
export function chooseHubProxy(
  url: string,
  environment: Readonly<Record<string, string | undefined>>,
): URL | undefined {
  const server = new URL(url);
  return nearReasonOfHost(server.hostname) === undefined ? chooseProxy(server, undefined, environment) : undefined;
}

/** A socket that speaks TLS with the hub, whose handshake is under way. Rejects with UNAVAILABLE where the proxy gives no tunnel; nothing stays open then. */
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
