// SPDX-License-Identifier: Apache-2.0

// Opens a socket to an API server: DNS, TCP, proxy and TLS within one deadline (KU2).
import { lookup as systemLookup } from "node:dns";
import { isIP, type LookupFunction, type Socket } from "node:net";
import type { ConnectionOptions } from "node:tls";
import { orAborted } from "../../base/abort.ts";
import type { Clock } from "../../base/time/clock.ts";
import { openDeadline } from "../../base/time/deadline.ts";
import type { ClusterAccess } from "../credentials/cluster-access.ts";
import type { ClientCertificate } from "../credentials/credential.ts";
import { nearReasonOf } from "../credentials/local-address.ts";
import { loadMaterial } from "../credentials/read-bounded.ts";
import { KubeError } from "../kube-error.ts";
import { dialProxy, tlsNamesOf } from "./dial-proxy.ts";
import { toNetworkError } from "./network-fault.ts";
import { openTcp, openTls, type TcpTarget } from "./open-socket.ts";
import { hostOf, portOf, showProxy } from "./proxy.ts";

/**
 * Share of the deadline for one address, so that a server with an unreachable IPv6 address is reached by its other one
 * in time.
 */
const attemptShare = 0.25;

/** How a server is dialled. */
export interface DialOptions {
  readonly access: ClusterAccess;
  readonly clock: Clock;
  /** For DNS, TCP, proxy and TLS together. */
  readonly connectTimeoutMs: number;
  /** The result of `chooseProxy`; undefined for none. */
  readonly proxy: URL | undefined;
  /** Default: the system's. */
  readonly lookup?: LookupFunction | undefined;
}

/** The client certificate and the offered protocols of one attempt. */
export interface DialAttempt {
  readonly certificate: ClientCertificate | undefined;
  /** ALPN protocols, the preferred one first. */
  readonly alpn: readonly ("h2" | "http/1.1")[];
}

/** An open socket and the negotiated protocol; HTTP/1.1 without TLS. */
export interface DialedSocket {
  readonly socket: Socket;
  readonly protocol: "h2" | "http/1.1";
}

/** Opens a socket to the server. Rejects with a KubeError, or with the signal's reason, and leaves nothing open. */
export async function dial(options: DialOptions, attempt: DialAttempt, signal: AbortSignal): Promise<DialedSocket> {
  const { access, clock, connectTimeoutMs } = options;
  const what = `connecting to ${access.server.origin}`;
  using deadline = openDeadline({ clock, limitMs: connectTimeoutMs, what, signal });
  try {
    return await dialWithin(options, attempt, deadline.signal);
  } catch (reason) {
    if (signal.aborted) throw reason;
    if (deadline.signal.aborted) {
      throw new KubeError("timeout", `${what}: no connection within ${connectTimeoutMs} ms`, { cause: reason });
    }
    throw toNetworkError(reason, what);
  }
}

async function dialWithin(options: DialOptions, attempt: DialAttempt, signal: AbortSignal): Promise<DialedSocket> {
  const { access, proxy } = options;
  const { server } = access;
  const ca = await loadAuthority(access, signal);
  const socket =
    proxy === undefined ? await openTcp(targetOf(options), signal) : await dialByProxy(options, proxy, ca, signal);
  if (server.protocol !== "https:") return { socket, protocol: "http/1.1" };
  const secure = await openTls(socket, tlsOptionsOf(access, attempt, ca), signal);
  return { socket: secure, protocol: secure.alpnProtocol === "h2" ? "h2" : "http/1.1" };
}

async function loadAuthority(access: ClusterAccess, signal: AbortSignal): Promise<string | undefined> {
  const { certificateAuthority } = access;
  if (certificateAuthority === undefined) return undefined;
  try {
    return await orAborted(loadMaterial(certificateAuthority), signal);
  } catch (reason) {
    if (signal.aborted || certificateAuthority.kind === "inline") throw reason;
    const sentence = `the certificate authority's file ${certificateAuthority.path} of ${access.name} cannot be read; check that it exists`;
    throw new KubeError("tls", sentence, { cause: reason });
  }
}

function targetOf({ access, connectTimeoutMs, lookup }: DialOptions): TcpTarget {
  const { server, isRestricted } = access;
  return {
    host: hostOf(server),
    port: portOf(server),
    isRestricted,
    attemptMs: connectTimeoutMs * attemptShare,
    lookup,
  };
}

async function dialByProxy(
  options: DialOptions,
  proxy: URL,
  ca: string | undefined,
  signal: AbortSignal,
): Promise<Socket> {
  const { access, connectTimeoutMs, lookup } = options;
  const authority = await authorityOf(options, signal);
  try {
    return await dialProxy({ proxy, authority, ca, attemptMs: connectTimeoutMs * attemptShare, lookup }, signal);
  } catch (reason) {
    if (signal.aborted) throw reason;
    throw toNetworkError(reason, `connecting to ${access.server.origin} by the proxy ${showProxy(proxy)}`);
  }
}

/**
 * The server as the proxy receives it. For an imported kubeconfig this is the checked address instead of the name, so
 * that the proxy does not resolve it again (KU7).
 */
async function authorityOf(options: DialOptions, signal: AbortSignal): Promise<string> {
  const { access, lookup = systemLookup } = options;
  const host = hostOf(access.server);
  const port = portOf(access.server);
  if (!access.isRestricted || isIP(host) !== 0) return `${access.server.hostname}:${port}`;
  const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
  lookup(host, { all: true }, (failure, found) => {
    if (failure !== null) reject(failure);
    else resolve(typeof found === "string" ? [found] : found.map(({ address }) => address));
  });
  const addresses = await orAborted(promise, signal);
  const address = addresses.find((each) => nearReasonOf(each) === undefined);
  if (address === undefined) {
    throw new KubeError(
      "dns",
      `${host} resolves to this machine or its link, which an imported kubeconfig may not use`,
    );
  }
  return isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}`;
}

function tlsOptionsOf(access: ClusterAccess, attempt: DialAttempt, ca: string | undefined): ConnectionOptions {
  const { certificate, alpn } = attempt;
  return {
    ...tlsNamesOf(access.tlsServerName ?? hostOf(access.server)),
    ...(ca === undefined ? {} : { ca }),
    ...(certificate === undefined ? {} : { cert: certificate.certificate, key: certificate.key }),
    ALPNProtocols: [...alpn],
    rejectUnauthorized: !access.insecureSkipTlsVerify,
  };
}
