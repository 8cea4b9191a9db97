// SPDX-License-Identifier: Apache-2.0
import { isIP, type LookupFunction, type Socket } from "node:net";
import { type ConnectionOptions, rootCertificates } from "node:tls";
import { openTcp, openTls } from "./open-socket.ts";
import { openTunnel } from "./open-tunnel.ts";
import { hostOf, portOf } from "./proxy.ts";

/** A route through a proxy. */
export interface ProxyDial {
  readonly proxy: URL;
  /** `host:port`, as sent to the proxy. */
  readonly authority: string;
  /** PEM of a CA that may have issued the certificate of an HTTPS proxy, in addition to the system's CAs. */
  readonly ca: string | undefined;
  /** How long one of several proxy addresses is tried before the next. */
  readonly attemptMs: number;
  /** Default: the system's. */
  readonly lookup?: LookupFunction | undefined;
}

/**
 * Opens a socket through the proxy to the authority. Rejects with Node's error or a KubeError, and leaves nothing open.
 */
export async function dialProxy(
  { proxy, authority, ca, attemptMs, lookup }: ProxyDial,
  signal: AbortSignal,
): Promise<Socket> {
  const target = { host: hostOf(proxy), port: portOf(proxy), isRestricted: false, attemptMs, lookup };
  const plain = await openTcp(target, signal);
  const socket = proxy.protocol === "https:" ? await openTls(plain, proxyTls(proxy, ca), signal) : plain;
  return await openTunnel(socket, proxy, authority, signal);
}

/**
 * A proxy is verified by the system's CAs or, as in kubectl, by the server's CA. It never receives the client
 * certificate.
 */
function proxyTls(proxy: URL, ca: string | undefined): ConnectionOptions {
  return {
    ...tlsNamesOf(hostOf(proxy)),
    ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
    ALPNProtocols: ["http/1.1"],
  };
}

/** The name that the certificate must contain. SNI is used only for DNS names (RFC 6066). */
export function tlsNamesOf(name: string): ConnectionOptions {
  return isIP(name) === 0 ? { host: name, servername: name } : { host: name };
}
