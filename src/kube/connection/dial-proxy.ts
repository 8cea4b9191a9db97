// SPDX-License-Identifier: Apache-2.0
import { isIP, type LookupFunction, type Socket } from "node:net";
import { type ConnectionOptions, rootCertificates } from "node:tls";
import { openTcp, openTls } from "./open-socket.ts";
import { openTunnel } from "./open-tunnel.ts";
import { hostOf, portOf } from "./proxy.ts";

/** A way through a proxy. */
export interface ProxyDial {
  readonly proxy: URL;
  /** `host:port`, as the proxy is told it. */
  readonly authority: string;
  /** PEM of an authority that a proxy with TLS may come from, beside the system's. */
  readonly ca: string | undefined;
  /** How long one of several addresses of the proxy is tried before the next. */
  readonly attemptMs: number;
  /** Default: the system's. */
  readonly lookup?: LookupFunction | undefined;
}

/** A socket whose bytes go through the proxy to the authority. Rejects with Node's error or a KubeError; nothing stays open then. */
export async function dialProxy(
  { proxy, authority, ca, attemptMs, lookup }: ProxyDial,
  signal: AbortSignal,
): Promise<Socket> {
  const target = { host: hostOf(proxy), port: portOf(proxy), isRestricted: false, attemptMs, lookup };
  const plain = await openTcp(target, signal);
  const socket = proxy.protocol === "https:" ? await openTls(plain, proxyTls(proxy, ca), signal) : plain;
  return await openTunnel(socket, proxy, authority, signal);
}

/** A proxy is trusted by the system's roots, or by the server's CA as in kubectl; it never sees the client certificate. */
function proxyTls(proxy: URL, ca: string | undefined): ConnectionOptions {
  return {
    ...tlsNamesOf(hostOf(proxy)),
    ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
    ALPNProtocols: ["http/1.1"],
  };
}

/** The name that the certificate must hold; SNI is for names alone (RFC 6066). */
export function tlsNamesOf(name: string): ConnectionOptions {
  return isIP(name) === 0 ? { host: name, servername: name } : { host: name };
}
