// SPDX-License-Identifier: Apache-2.0
import type { ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";
import { guardListener, type TaskGuard } from "../../base/task-guard.ts";
import type { HttpRequest, HttpResponse } from "../http/http-types.ts";

/** Identifies a live connection at its TCP, TLS and HTTP/2 layers alike. */
export type Peer = Pick<Socket, "remoteAddress" | "remotePort">;

interface Connection {
  readonly socket: Socket;
  session: ServerHttp2Session | undefined;
  /** Requests whose response is not closed yet. */
  openCount: number;
  /** True if the connection must close after its last response. */
  isClosing: boolean;
  readonly noteAuthenticated: () => void;
}

/** The open connections and requests of one listener. A drain waits for all of them. */
export class ConnectionSet {
  readonly #connections = new Map<string, Connection>();
  #openCount = 0;
  #isDraining = false;
  #onIdle: (() => void) | undefined;
  readonly #guard: TaskGuard;

  constructor(guard: TaskGuard) {
    this.#guard = guard;
  }

  /**
   * Adds a connection at its TCP layer, before anything runs over it. `noteAuthenticated` is also called when the
   * connection closes.
   */
  addSocket(socket: Socket, noteAuthenticated: () => void): void {
    const key = keyOf(socket);
    this.#connections.set(key, { socket, session: undefined, openCount: 0, isClosing: false, noteAuthenticated });
    socket.once("close", () => {
      this.#connections.delete(key);
      this.#guard.run("closed connection", noteAuthenticated);
    });
  }

  addSession(session: ServerHttp2Session, peer: Peer): void {
    const connection = this.#connections.get(keyOf(peer));
    if (connection !== undefined) connection.session = session;
    if (this.#isDraining) session.close();
  }

  /**
   * Counts a request until its response closes, sent or not. Call the returned function when the connection is
   * authenticated.
   */
  addExchange(request: HttpRequest, response: HttpResponse): () => void {
    const { socket } = request;
    const connection = this.#connections.get(keyOf(socket));
    this.#openCount += 1;
    if (connection !== undefined) connection.openCount += 1;
    const onClose = (): void => {
      this.#openCount -= 1;
      if (connection !== undefined) connection.openCount -= 1;
      if (connection?.session === undefined && (this.#isDraining || closesNow(connection))) socket.destroySoon();
      if (this.#openCount === 0) this.#onIdle?.();
    };
    response.once("close", guardListener(this.#guard, "closed answer", onClose));
    return () => connection?.noteAuthenticated();
  }

  /** True while a request of this connection is unanswered. */
  isBusy(peer: Peer): boolean {
    return (this.#connections.get(keyOf(peer))?.openCount ?? 0) > 0;
  }

  get connectionCount(): number {
    return this.#connections.size;
  }

  get openCount(): number {
    return this.#openCount;
  }

  /**
   * Sends GOAWAY on HTTP/2 connections and closes idle HTTP/1.1 connections. Busy HTTP/1.1 connections close after
   * their last response.
   */
  drain(): void {
    this.#isDraining = true;
    for (const { socket, session, openCount } of this.#connections.values()) {
      if (session !== undefined) session.close();
      else if (openCount === 0) socket.destroy();
    }
  }

  /**
   * Closes a connection gracefully: GOAWAY on HTTP/2; on HTTP/1.1 at once if idle, otherwise after the last response.
   */
  closeSoon(peer: Peer): void {
    const connection = this.#connections.get(keyOf(peer));
    if (connection === undefined) return;
    connection.isClosing = true;
    if (connection.session !== undefined) connection.session.close();
    else if (connection.openCount === 0) connection.socket.destroy();
  }

  /** Resolves when no request is open. */
  idle(): Promise<void> {
    if (this.#openCount === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onIdle = resolve;
    });
  }

  /** Closes the TCP connection at once, without waiting for the peer. */
  destroy(peer: Peer): void {
    this.#connections.get(keyOf(peer))?.socket.destroy();
  }

  destroyAll(): void {
    for (const { socket } of this.#connections.values()) socket.destroy();
  }
}

function closesNow(connection: Connection | undefined): boolean {
  return connection !== undefined && connection.isClosing && connection.openCount === 0;
}

function keyOf({ remoteAddress, remotePort }: Peer): string {
  return `${remoteAddress} ${remotePort}`;
}
