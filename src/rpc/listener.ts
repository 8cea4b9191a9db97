// SPDX-License-Identifier: Apache-2.0
import { createServer } from "node:http";
import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from "node:http2";
import type { Server, Socket } from "node:net";
import type { CancelTimer, Clock } from "../base/clock.ts";
import { FlotillaError } from "../base/error.ts";
import type { Logger } from "../base/log.ts";
import { guardListener, type TaskGuard } from "../base/task-guard.ts";
import { refuseBrokenRequest } from "./client-error.ts";
import { ConnectionSet } from "./connection-set.ts";
import { type DrainReport, drainListener } from "./drain.ts";
import { type HandshakeFailure, watchHandshakeFailures } from "./handshake-failures.ts";
import type { HttpRequest, HttpResponse, RequestListener, UpgradeListener } from "./http-types.ts";
import { isLoopbackHost, type ListenAddress, listenOn } from "./listen.ts";
import type { ListenerLimits } from "./listener-limits.ts";
import { type CutReason, watchSession } from "./session-watch.ts";
import type { ServerIdentity } from "./tls/server-identity.ts";
import { UnauthenticatedConnections } from "./unauthenticated-connections.ts";
import { serveUpgrades } from "./upgrades.ts";

/** What both kinds of listener need. */
export interface ListenerOptions extends ListenAddress {
  readonly limits: ListenerLimits;
  readonly clock: Clock;
  readonly log: Logger;
  /** Runs the listeners of sockets, connections and requests: what one throws costs its own connection (L14). */
  readonly guard: TaskGuard;
  readonly onRequest: RequestListener;
  /** Where some requests may leave HTTP; others, and all where left out, are served as if they did not ask. */
  readonly upgrades?: UpgradeListener | undefined;
  /** Told of each connection that we ended, and why. */
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
  /** Closes it in good order; see `drainListener`. Calling it again gives the same report. */
  drain(deadlineMs: number): Promise<DrainReport>;
}

/** A listener whose certificate can be changed; connections that are open keep the one they were made with. */
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
    const { remoteAddress, remotePort } = session.socket; // gone from there once the session is destroyed
    const peer = { remoteAddress, remotePort };
    connections.addSession(session, peer);
    const cut = (reason: CutReason): void => {
      options.onCut(reason);
      session.destroy();
      connections.destroy(peer);
    };
    watchSession(session, { clock: options.clock, limits, guard, cut });
  };
  server.on(
    "session",
    guardListener(guard, "connection of HTTP/2", onSession, (session) => session.destroy()),
  );
  const listener = await bindListener(server, "https", { options, connections });
  return { ...listener, setIdentity: (newer) => server.setSecureContext(tlsOptionsOf(newer)) };
}

/** Instead of a list: of a list Node gives each connection a copy, whose few bytes keep a shared buffer of 64 KiB in memory. */
function chooseProtocol({ protocols }: { readonly protocols: readonly string[] }): string | undefined {
  return ["h2", "http/1.1"].find((protocol) => protocols.includes(protocol));
}

/** HTTP/1.1 without TLS, on loopback only: any other host is refused with CONFIG_INVALID, since tokens would travel in the clear. */
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
    requestTimeout: 0, // the body's deadline is the front's, which knows streams from single messages
    keepAliveTimeout: limits.idleTimeoutMs,
    // Node looks for late headers at this interval; half the deadline ends them at 1.5 times the deadline at the latest.
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
  // The front asks for the body when somebody reads it, so a refused one is never sent.
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

/** Lets a connection in, or not, before anything on it is authenticated (RP54); what it returns ends the deadline of RP55. */
function createUnauthenticatedGate(
  { limits, clock, onCut }: ListenerOptions,
  connections: ConnectionSet,
): (socket: Socket) => (() => void) | undefined {
  if (limits.unauthenticated === undefined) return () => () => undefined;
  const unauthenticated = new UnauthenticatedConnections(limits.unauthenticated, clock);
  return (socket) => {
    let cancelCut: CancelTimer = () => undefined;
    const { remoteAddress = "", remotePort } = socket; // gone from there once it is closed
    const leave = unauthenticated.enter(remoteAddress, () => {
      onCut("unauthenticated");
      const peer = { remoteAddress, remotePort };
      connections.closeSoon(peer);
      // What is under way may still be answered; a peer that ignores GOAWAY gets no second chance.
      cancelCut = clock.setTimer(limits.pingTimeoutMs, () => connections.destroy(peer));
    });
    if (leave === undefined) return undefined;
    socket.once("close", () => cancelCut());
    return leave;
  };
}

/** Gives each connection until the deadline to finish its handshake, however busily it trickles. */
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
  // Such as running out of file descriptors while accepting: that connection is lost, the listener is not.
  server.on("error", (reason) => options.log.error("connection could not be accepted", { port }, reason));
  let drained: Promise<DrainReport> | undefined;
  return {
    port,
    url: `${scheme}://${options.host.includes(":") ? `[${options.host}]` : options.host}:${port}`,
    drain: (deadlineMs) => (drained ??= drainListener(server, { connections, clock: options.clock, deadlineMs })),
  };
}
