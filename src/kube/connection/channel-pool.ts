// SPDX-License-Identifier: Apache-2.0
import type { Socket } from "node:net";
import { orAborted, throwIfAborted } from "../../base/abort.ts";
import { openDeadline } from "../../base/time/deadline.ts";
import { type ClientCertificate, isSameCertificate } from "../credentials/credential.ts";
import { KubeError } from "../kube-error.ts";
import { NotTaken, type WireAnswer, type WireRequest } from "./channel.ts";
import { type DialOptions, dial } from "./dial.ts";
import { H1Channel } from "./h1-channel.ts";
import { H2Channel } from "./h2-channel.ts";

/**
 * Most attempts to send one request when servers refuse it on each connection. A server that refuses more never accepts
 * it.
 */
const maxSendCount = 4;

/**
 * Most HTTP/2 connections at once. One is enough until the server's limit of concurrent streams (Kubernetes: 100); 16
 * allow 1,600 watches.
 */
const maxChannelCount = 16;

/** How the connections of a pool are opened and checked, and a callback for broken ones. */
export interface ChannelPoolOptions extends DialOptions {
  readonly pingIntervalMs: number;
  readonly pingTimeoutMs: number;
  /** Called when an open connection broke, with all its requests. */
  readonly onBroken: (error: KubeError) => void;
}

/** The state of the connection: `idle` before the first request, `broken` after a failure until the next attempt. */
export type ChannelPoolState = "idle" | "connecting" | "open" | "broken";

/**
 * The connections to one server. All requests share one HTTP/2 connection. Requests that arrive while it is dialled
 * wait for the same attempt (KU1).
 */
export class ChannelPool {
  readonly #options: ChannelPoolOptions;
  readonly #closing = new AbortController();
  readonly #channels = new Set<H2Channel>();
  readonly #retired = new Set<H2Channel>();
  #http1: H1Channel | undefined;
  #certificate: ClientCertificate | undefined;
  #dialling: Promise<void> | undefined;
  #lastFailure: KubeError | undefined;

  constructor(options: ChannelPoolOptions) {
    this.#options = options;
  }

  get state(): ChannelPoolState {
    if (this.#dialling !== undefined) return "connecting";
    if (this.#channels.size > 0 || this.#http1 !== undefined) return "open";
    return this.#lastFailure === undefined ? "idle" : "broken";
  }

  /**
   * Sends a request on a connection with this client certificate. Rejects with a KubeError, or with the signal's
   * reason.
   */
  async send(
    request: WireRequest,
    certificate: ClientCertificate | undefined,
    signal: AbortSignal,
  ): Promise<WireAnswer> {
    if (!isSameCertificate(this.#certificate, certificate)) this.#changeCertificate(certificate);
    let lastRefusal: unknown;
    for (let sendCount = 0; sendCount < maxSendCount; sendCount += 1) {
      try {
        return await this.#sendOnce(request, signal);
      } catch (reason) {
        if (!(reason instanceof NotTaken)) throw reason;
        lastRefusal = reason;
      }
    }
    throw new KubeError("tcp", "the server closed each connection before it accepted the request", {
      cause: lastRefusal,
    });
  }

  /** Ends every connection and every attempt; open requests fail with `tcp`. Resolves when no attempt is left. */
  async close(): Promise<void> {
    const error = closedError();
    this.#closing.abort(error);
    for (const channel of [...this.#channels, ...this.#retired]) channel.destroy(error);
    this.#http1?.destroy();
    await Promise.allSettled([this.#dialling]);
  }

  /** A free slot is used in the same step, so that no more waiting requests use a connection than it has slots. */
  async #sendOnce(request: WireRequest, signal: AbortSignal): Promise<WireAnswer> {
    // Each dial adds slots. If this many dials gave a waiter none, other requests took them all.
    for (let dialCount = 0; dialCount <= maxChannelCount; dialCount += 1) {
      throwIfAborted(this.#closing.signal);
      const ready = this.#http1 ?? [...this.#channels].find(({ hasRoom }) => hasRoom);
      if (ready !== undefined) return await ready.send(request, signal);
      if (this.#dialling === undefined && this.#channels.size >= maxChannelCount) break;
      await orAborted(this.#dial(), signal);
    }
    throw new KubeError("overloaded", "the server's limit of concurrent requests is reached");
  }

  /** Open connections use the old certificate. HTTP/2 finishes its requests; HTTP/1.1 is closed, as in kubectl. */
  #changeCertificate(certificate: ClientCertificate | undefined): void {
    this.#certificate = certificate;
    for (const channel of this.#channels) channel.retire();
    this.#http1?.destroy();
    this.#http1 = undefined;
  }

  #dial(): Promise<void> {
    if (this.#dialling === undefined) {
      const dialling = this.#open(this.#certificate).finally(() => {
        this.#dialling = undefined;
      });
      // All waiters may have left when it fails. Remaining ones receive the failure themselves.
      dialling.catch((reason: unknown) => {
        if (reason instanceof KubeError) this.#lastFailure = reason;
      });
      this.#dialling = dialling;
    }
    return this.#dialling;
  }

  async #open(certificate: ClientCertificate | undefined): Promise<void> {
    const { clock, connectTimeoutMs, access } = this.#options;
    const { signal } = this.#closing;
    const startedMs = clock.nowMs();
    const { socket, protocol } = await dial(this.#options, { certificate, alpn: ["h2", "http/1.1"] }, signal);
    if (!isSameCertificate(this.#certificate, certificate)) {
      socket.destroy();
      return;
    }
    if (protocol === "http/1.1") {
      this.#openHttp1(socket, certificate);
      return;
    }
    const what = `connecting to ${access.server.origin}`;
    // The remaining time after the handshakes.
    const limitMs = Math.max(0, connectTimeoutMs - (clock.nowMs() - startedMs));
    using deadline = openDeadline({ clock, limitMs, what, signal });
    try {
      await this.#openHttp2(socket, deadline.signal);
    } catch (reason) {
      if (!deadline.signal.aborted || signal.aborted) throw reason;
      throw new KubeError("timeout", `${what}: the server sent no HTTP/2 settings`, { cause: reason });
    }
  }

  #openHttp1(socket: Socket, certificate: ClientCertificate | undefined): void {
    const http1 = new H1Channel(async () => {
      const attempt = { certificate, alpn: ["http/1.1"] } as const;
      return (await dial(this.#options, attempt, this.#closing.signal)).socket;
    });
    http1.offer(socket);
    this.#http1 = http1;
  }

  async #openHttp2(socket: Socket, signal: AbortSignal): Promise<void> {
    const { access, clock, pingIntervalMs, pingTimeoutMs, onBroken } = this.#options;
    const channel = await H2Channel.open(
      socket,
      {
        origin: access.server.origin,
        clock,
        pingIntervalMs,
        pingTimeoutMs,
        onRetired: (error) => {
          this.#channels.delete(channel);
          if (error === undefined) {
            this.#retired.add(channel);
            return;
          }
          this.#lastFailure = error;
          onBroken(error);
        },
        onClosed: () => this.#retired.delete(channel),
      },
      signal,
    );
    this.#channels.add(channel);
  }
}

/** The error of open requests when the connection is closed, and of requests after that. */
export function closedError(): KubeError {
  return new KubeError("tcp", "this process closed the connection to the cluster");
}
