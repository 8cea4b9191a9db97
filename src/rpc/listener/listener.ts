// SPDX-License-Identifier: Apache-2.0
import { createServer } from "node:http";
import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from "node:http2";
import type { Server, Socket } from "node:net";
import { FlotillaError } from "../../base/error.ts";
import type { Logger } from "../../base/log.ts";
import { guardListener, type TaskGuard } from "../../base/task-guard.ts";
import type { CancelTimer, Clock } from "../../base/time/clock.ts";
import type { HttpRequest, HttpResponse, RequestListener, UpgradeListener } from "../http/http-types.ts";
import type { ServerIdentity } from "../tls/server-identity.ts";
import { refuseBrokenRequest } from "./broken-request.ts";
import { ConnectionSet } from "./connection-set.ts";
import { type DrainReport, drainListener } from "./drain.ts";
import { type HandshakeFailure, watchHandshakeFailures } from "./handshake-failures.ts";
import { isLoopbackHost, type ListenAddress, listenOn } from "./listen.ts";
import type { ListenerLimits } from "./listener-limits.ts";
import { type CutReason, watchSession } from "./session-watch.ts";
import { UnauthenticatedConnections } from "./unauthenticated-connections.ts";
import { serveUpgrades } from "./upgrades.ts";

export interface ListenerOptions extends ListenAddress {
  readonly limits: ListenerLimits;
  readonly clock: Clock;
  readonly log: Logger;
  /**
   * Runs the event listeners of sockets, connections and requests. An error in one closes only its own connection
   * (L14).
   */
  readonly guard: TaskGuard;
  readonly onRequest: RequestListener;
  /** Serves upgrade requests. Those it does not accept, and all if undefined, are served as ordinary requests. */
  readonly upgrades?: UpgradeListener | undefined;
  /** Called for each connection that this listener closed. */
  readonly onCut: (reason: CutReason) => void;
  readonly onConnectionCount: (count: number) => void;
  /** Called for each TLS handshake that the client broke off. */
  readonly onHandshakeFailed?: ((failure: HandshakeFailure) => void) | undefined;
}

/** An open port. */
export interface Listener {
  /** The address without a path: `https://127.0.0.1:7443`. */
  readonly url: string;
  readonly port: number;
  /** Closes it gracefully; see `drainListener`. Later calls return the same report. */
  drain(deadlineMs: number): Promise<DrainReport>;
}

/** A listener whose certificate can be changed. Open connections keep theirs. */
export interface TlsListener extends Listener {
  setIdentity(identity: ServerIdentity): void;
}

/** HTTP/2 and HTTP/1.1 over TLS, chosen by ALPN. Rejects with LISTEN_FAILED. */
export async function openTlsListener(options: ListenerOptions, identity: ServerIdentity): Promise<TlsListener> {
  const { limits, guard } = options;
  const server = createSecureServer({
    ...tlsOptionsOf(identity),
    ...http1OptionsOf(limits),
    allowHTTP1: true,
    ALPNCallback: chooseProtocol,
    settings: { maxConcurrentStreams: limits.maxStreamCount, maxHeaderListSize: limits.maxHeaderBytes },
  });
  const connections = serveConnections(server, options);
  watchHandshakes(server, options, connections);
  if (options.onHandshakeFailed !== undefined) {
    watchHandshakeFailures(server, guardListener(guard, "broken handshake", options.onHandshakeFailed));
  }
  const onSession = (session: ServerHttp2Session): void => {
    const { remoteAddress, remotePort } = session.socket; // undefined once the session is destroyed
    const peer = { remoteAddress, remotePort };
    connections.addSession(session, peer);
    const cut = (reason: CutReason): void => {
      options.onCut(reason);
      session.destroy();
      connections.destroy(peer);
    };
    watchSession(session, { clock: options.clock, limits, cut });
  };
  server.on(
    "session",
    guardListener(guard, "connection of HTTP/2", onSession, (session) => session.destroy()),
  );
  const listener = await bindListener(server, "https", { options, connections });
  return { ...listener, setIdentity: (newer) => server.setSecureContext(tlsOptionsOf(newer)) };
}

/**
 * A callback instead of a list: Node copies a list for each connection, and each copy keeps a shared buffer of 64 KiB
 * in memory.
 */
function chooseProtocol({ protocols }: { readonly protocols: readonly string[] }): string | undefined {
  return ["h2", "http/1.1"].find((protocol) => protocols.includes(protocol));
}

/**
 * HTTP/1.1 without TLS, on loopback only. Any other host is refused with CONFIG_INVALID, because tokens would be sent
 * unencrypted.
 */
export async function openPlainListener(options: ListenerOptions): Promise<Listener> {
  if (!isLoopbackHost(options.host)) {
    throw new FlotillaError(
      "CONFIG_INVALID",
      `the plain HTTP listener binds loopback only, not ${options.host}; use the TLS listener for other hosts`,
    );
  }
  const server = createServer(http1OptionsOf(options.limits));
  const connections = serveConnections(server, options);
  return bindListener(server, "http", { options, connections });
}

function tlsOptionsOf(identity: ServerIdentity): { cert: string; key: string; minVersion: "TLSv1.2" } {
  return { cert: identity.certificatePem, key: identity.keyPem, minVersion: "TLSv1.2" };
}

function http1OptionsOf(limits: ListenerLimits): Parameters<typeof createServer>[0] & object {
  return {
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: 0, // the exchange has its own body deadline, for single messages only
    keepAliveTimeout: limits.idleTimeoutMs,
    // Node checks for late headers at this interval. Half the deadline ends them after 1.5 times the deadline at the
    // latest.
    connectionsCheckingInterval: Math.max(1, Math.floor(limits.headersTimeoutMs / 2)),
    keepAlive: true,
    keepAliveInitialDelay: limits.pingIntervalMs,
    noDelay: true,
  };
}

function serveConnections(server: Server, options: ListenerOptions): ConnectionSet {
  const { guard } = options;
  const connections = new ConnectionSet(guard);
  server.maxConnections = options.limits.maxConnectionCount;
  server.on(
    "drop",
    guardListener(guard, "dropped connection", () => options.onCut("limit")),
  );
  const enterUnauthenticated = createUnauthenticatedGate(options, connections);
  const noteCount = guardListener(guard, "count of connections", () =>
    options.onConnectionCount(connections.connectionCount),
  );
  const onConnection = (socket: Socket): void => {
    const noteAuthenticated = enterUnauthenticated(socket);
    if (noteAuthenticated === undefined) {
      options.onCut("share");
      socket.destroy();
      return;
    }
    connections.addSocket(socket, noteAuthenticated);
    noteCount();
    socket.once("close", noteCount);
  };
  server.on(
    "connection",
    guardListener(guard, "connection", onConnection, (socket) => socket.destroy()),
  );
  const takeRequest = (request: HttpRequest, response: HttpResponse): void => {
    options.onRequest(request, response, connections.addExchange(request, response));
  };
  const onRequest = guardListener(guard, "request", takeRequest, (_request, response) => response.destroy());
  server.on("request", onRequest);
  // The body is requested (100 Continue) when it is read, so a refused body is never sent.
  server.on("checkContinue", onRequest);
  if (options.upgrades !== undefined) serveUpgrades(server, options.upgrades, { connections, guard });
  const onClientError = (reason: Error, socket: Socket): void => {
    if (refuseBrokenRequest(reason, socket, connections.isBusy(socket))) options.onCut("headers");
  };
  server.on(
    "clientError",
    guardListener(guard, "broken request", onClientError, (_reason, socket) => socket.destroy()),
  );
  return connections;
}

/**
 * Admits connections before authentication (RP54). Undefined: refused. The returned function ends the deadline of RP55.
 */
function createUnauthenticatedGate(
  { limits, clock, onCut }: ListenerOptions,
  connections: ConnectionSet,
): (socket: Socket) => (() => void) | undefined {
  if (limits.unauthenticated === undefined) return () => () => undefined;
  const unauthenticated = new UnauthenticatedConnections(limits.unauthenticated, clock);
  return (socket) => {
    let cancelCut: CancelTimer = () => undefined;
    const { remoteAddress = "", remotePort } = socket; // undefined once the socket is closed
    const leave = unauthenticated.enter(remoteAddress, () => {
      onCut("unauthenticated");
      const peer = { remoteAddress, remotePort };
      connections.closeSoon(peer);
      // Open requests may still be answered. A peer that ignores GOAWAY is cut after the PING timeout.
      cancelCut = clock.setTimer(limits.pingTimeoutMs, () => connections.destroy(peer));
    });
    if (leave === undefined) return undefined;
    socket.once("close", () => cancelCut());
    return leave;
  };
}

/** Cuts connections that do not finish their handshake by the deadline, even if they keep sending bytes. */
function watchHandshakes(server: Http2SecureServer, options: ListenerOptions, connections: ConnectionSet): void {
  const waiting = new Map<string, () => void>();
  server.on("connection", (socket) => {
    const key = `${socket.remoteAddress} ${socket.remotePort}`;
    const cancel = options.clock.setTimer(options.limits.headersTimeoutMs, () => {
      options.onCut("handshake");
      connections.destroy(socket);
    });
    waiting.set(key, cancel);
    socket.once("close", () => {
      cancel();
      waiting.delete(key);
    });
  });
  server.on("secureConnection", (socket) => waiting.get(`${socket.remoteAddress} ${socket.remotePort}`)?.());
}

async function bindListener(
  server: Server,
  scheme: "http" | "https",
  { options, connections }: { readonly options: ListenerOptions; readonly connections: ConnectionSet },
): Promise<Listener> {
  const port = await listenOn(server, options);
  // For example when file descriptors run out while accepting: that connection is lost, the listener stays.
  server.on("error", (reason) => options.log.error("connection could not be accepted", { port }, reason));
  let drained: Promise<DrainReport> | undefined;
  return {
    port,
    url: `${scheme}://${options.host.includes(":") ? `[${options.host}]` : options.host}:${port}`,
    drain: (deadlineMs) => (drained ??= drainListener(server, { connections, clock: options.clock, deadlineMs })),
  };
}
