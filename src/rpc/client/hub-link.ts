// SPDX-License-Identifier: Apache-2.0
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type ClientSessionRequestOptions,
  connect,
  constants,
  type OutgoingHttpHeaders,
} from "node:http2";
import { Code, ConnectError } from "@connectrpc/connect";
import { assert } from "../../base/assert.ts";
import type { CancelTimer, Clock } from "../../base/time/clock.ts";
import { sendPing } from "../../base/time/keep-alive.ts";
import { dialHubByProxy } from "./hub-proxy.ts";

/** 1 minute: clients often send another request soon, and an idle connection costs both ends only a few buffers. */
const idleTimeoutMs = 60_000;

/** How a connection to a hub is opened and checked for liveness. */
export interface HubLinkOptions {
  /** `https://host:port`. */
  readonly url: string;
  /** PEM text of the CA to trust in place of the system's. */
  readonly ca?: string | undefined;
  readonly clock: Clock;
  /**
   * For name lookup, TCP, TLS and HTTP/2 together. Needed because a dial into a network that drops packets does not end
   * by itself.
   */
  readonly dialTimeoutMs: number;
  /** A PING is sent after this time without received data, while requests are open or before a new request. */
  readonly pingIntervalMs: number;
  /** If a PING is not answered in this time, the connection and its requests end. */
  readonly pingTimeoutMs: number;
  /** The HTTP proxy to the hub (IN24); undefined: no proxy. */
  readonly proxy?: URL | undefined;
}

/** Callbacks of a link's owner. */
export interface HubLinkOwner {
  /** The link takes no new requests. */
  readonly onRetired: (link: HubLink) => void;
  /** The link is closed and has released everything. */
  readonly onClosed: (link: HubLink) => void;
}

/**
 * One HTTP/2 connection to a hub, dialled in the constructor. Its error listener stays until the session has closed:
 * Node may emit the error some turns after the failure, and an unhandled error would end the process.
 */
export class HubLink {
  readonly #options: HubLinkOptions;
  readonly #owner: HubLinkOwner;
  /** Undefined while the proxy opens a tunnel. */
  #session: ClientHttp2Session | undefined;
  readonly #dialing = new AbortController();
  readonly #opened = Promise.withResolvers<void>();
  #openCount = 0;
  #isRetired = false;
  #lastReceivedMs: number;
  #ping: Promise<boolean> | undefined;
  #cancelTimer: CancelTimer = () => undefined;

  constructor(options: HubLinkOptions, owner: HubLinkOwner) {
    const { url, ca, clock, dialTimeoutMs, proxy } = options;
    this.#options = options;
    this.#owner = owner;
    this.#lastReceivedMs = clock.nowMs();
    const late = new ConnectError(`no connection within ${dialTimeoutMs} ms`, Code.DeadlineExceeded);
    this.#cancelTimer = clock.setTimer(dialTimeoutMs, () => this.destroy(late));
    if (proxy === undefined) this.#attach(connect(url, ca === undefined ? {} : { ca }));
    else void this.#dialBy(proxy);
  }

  /** Never rejects; a failure rejects `opened`. */
  async #dialBy(proxy: URL): Promise<void> {
    const { url, ca, dialTimeoutMs } = this.#options;
    const { signal } = this.#dialing;
    try {
      const socket = await dialHubByProxy({ url, ca, dialTimeoutMs, proxy }, signal);
      if (signal.aborted) {
        socket.on("error", () => undefined); // the dial was cancelled meanwhile
        socket.destroy();
        this.#owner.onClosed(this);
      } else this.#attach(connect(url, { createConnection: () => socket }));
    } catch (reason) {
      this.#end(reason);
      this.#owner.onClosed(this);
    }
  }

  #attach(session: ClientHttp2Session): void {
    this.#session = session;
    session.once("connect", () => this.#open());
    session.once("goaway", () => this.#retire());
    session.on("error", (reason: unknown) => this.#end(reason));
    session.once("close", () => {
      this.#end(new ConnectError("the connection was closed", Code.Unavailable));
      this.#owner.onClosed(this);
    });
  }

  /** Resolves when requests can be sent. Rejects with Node's error, or with the reason why the link was closed. */
  get opened(): Promise<void> {
    return this.#opened.promise;
  }

  /** Whether the stream belongs to this link. */
  carries(stream: ClientHttp2Stream): boolean {
    return this.#session !== undefined && stream.session === this.#session;
  }

  /**
   * Whether the link takes another request. A link without data for `pingIntervalMs` is checked by PING first, and
   * closed if no answer comes in time.
   */
  async isUsable(): Promise<boolean> {
    const session = this.#session;
    if (this.#isRetired || session === undefined || session.closed || session.destroyed) return false;
    const quietMs = this.#options.clock.nowMs() - this.#lastReceivedMs;
    return quietMs <= this.#options.pingIntervalMs || (await this.#pingShared());
  }

  /** Throws Node's error if the connection has just ended. */
  request(headers: OutgoingHttpHeaders, options: ClientSessionRequestOptions): ClientHttp2Stream {
    assert(this.#session !== undefined, "requests go out once the link is open");
    const stream = this.#session.request(headers, options);
    this.#openCount += 1;
    if (this.#openCount === 1) this.#arm();
    stream.once("response", () => this.noteReceived());
    stream.once("close", () => {
      this.#openCount -= 1;
      if (this.#openCount === 0) this.#arm();
    });
    return stream;
  }

  /** Records that data arrived from the hub. */
  noteReceived(): void {
    this.#lastReceivedMs = this.#options.clock.nowMs();
  }

  /** Cancels everything, including the dial. */
  destroy(reason: ConnectError): void {
    this.#end(reason);
    this.#dialing.abort(reason);
    this.#session?.destroy(reason, constants.NGHTTP2_CANCEL);
  }

  #open(): void {
    // Node emits `connect` even if the session was destroyed while it was opening.
    if (this.#session?.destroyed !== false) return;
    this.noteReceived();
    this.#opened.resolve();
    this.#arm();
  }

  /** Takes no new requests, and closes when the open ones have ended. */
  #retire(): void {
    this.#noteRetired();
    // Node does not close a session by itself that has no streams and received GOAWAY.
    if (this.#openCount === 0) this.#session?.destroy();
    else this.#session?.close();
  }

  /** `#noteRetired` runs before `opened` rejects, so that a caller that dials again does not get this link. */
  #end(reason: unknown): void {
    this.#cancelTimer();
    this.#noteRetired();
    this.#opened.reject(reason);
  }

  #noteRetired(): void {
    if (this.#isRetired) return;
    this.#isRetired = true;
    this.#owner.onRetired(this);
  }

  /** With open requests: PING after `pingIntervalMs` without data. Without: close after the idle timeout. */
  #arm(): void {
    this.#cancelTimer();
    if (this.#session?.destroyed !== false) return;
    const { clock, pingIntervalMs } = this.#options;
    if (this.#openCount === 0) this.#cancelTimer = clock.setTimer(idleTimeoutMs, () => this.#retire());
    else {
      const quietMs = clock.nowMs() - this.#lastReceivedMs;
      this.#cancelTimer = clock.setTimer(Math.max(0, pingIntervalMs - quietMs), () => void this.#checkLiveness());
    }
  }

  async #checkLiveness(): Promise<void> {
    if (this.#options.clock.nowMs() - this.#lastReceivedMs >= this.#options.pingIntervalMs) await this.#pingShared();
    this.#arm();
  }

  #pingShared(): Promise<boolean> {
    this.#ping ??= this.#sendPing().finally(() => {
      this.#ping = undefined;
    });
    return this.#ping;
  }

  /** Whether the hub answered. If not, the connection is destroyed. */
  #sendPing(): Promise<boolean> {
    const { clock, pingTimeoutMs } = this.#options;
    const session = this.#session;
    if (session?.destroyed !== false) return Promise.resolve(false); // `ping` would throw; the `close` event follows
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const cancel = sendPing(session, { clock, timeoutMs: pingTimeoutMs }, (outcome) => {
      session.off("close", onClose);
      if (outcome === "answered") this.noteReceived();
      if (outcome === "late")
        this.destroy(new ConnectError(`no answer to a PING within ${pingTimeoutMs} ms`, Code.Unavailable));
      resolve(outcome === "answered");
    });
    const onClose = (): void => {
      cancel();
      resolve(false);
    };
    // Node does not call the PING's callback if the session closes gracefully.
    session.once("close", onClose);
    return promise;
  }
}
