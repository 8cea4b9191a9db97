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
import { assert } from "../base/assert.ts";
import type { CancelTimer, Clock } from "../base/clock.ts";
import { dialHubByProxy } from "./hub-proxy.ts";

/** A minute: whoever asked something asks again, and an open connection costs both ends a few buffers. */
const idleTimeoutMs = 60_000;

/** How a connection to a hub is opened and kept honest. */
export interface HubLinkOptions {
  /** `https://host:port`. */
  readonly url: string;
  /** PEM text of the CA to trust in place of the system's. */
  readonly ca?: string;
  readonly clock: Clock;
  /** For name lookup, TCP, TLS and HTTP/2 together: a network that swallows everything ends no dial by itself. */
  readonly dialTimeoutMs: number;
  /** How long it may be quiet before it is asked by PING, while something is under way or before something new is. */
  readonly pingIntervalMs: number;
  /** A PING without an answer in this time ends the connection and what is under way on it. */
  readonly pingTimeoutMs: number;
  /** The HTTP proxy by which the hub is reached (IN24); undefined: none. */
  readonly proxy?: URL | undefined;
}

/** Who is told of what becomes of a link. */
export interface HubLinkOwner {
  /** It takes no new request. */
  readonly onRetired: (link: HubLink) => void;
  /** Nothing of it is left. */
  readonly onClosed: (link: HubLink) => void;
}

/**
 * One HTTP/2 connection to a hub, dialled when it is made. It is listened to until it has closed: Node tells that a session failed some turns
 * after it has, and an error that nobody listens to would end the process.
 */
export class HubLink {
  readonly #options: HubLinkOptions;
  readonly #owner: HubLinkOwner;
  /** Undefined while a proxy is asked for a tunnel. */
  #session: ClientHttp2Session | undefined;
  readonly #dialing = new AbortController();
  readonly #opened = Promise.withResolvers<void>();
  #openCount = 0;
  #isRetired = false;
  #heardAtMs: number;
  #ping: Promise<boolean> | undefined;
  #cancelTimer: CancelTimer = () => undefined;

  constructor(options: HubLinkOptions, owner: HubLinkOwner) {
    const { url, ca, clock, dialTimeoutMs, proxy } = options;
    this.#options = options;
    this.#owner = owner;
    this.#heardAtMs = clock.nowMs();
    const late = new ConnectError(`no connection within ${dialTimeoutMs} ms`, Code.DeadlineExceeded);
    this.#cancelTimer = clock.setTimer(dialTimeoutMs, () => this.destroy(late));
    if (proxy === undefined) this.#attach(connect(url, ca === undefined ? {} : { ca }));
    else void this.#dialBy(proxy);
  }

  /** Never rejects: what stands in the way is told by `opened`. */
  async #dialBy(proxy: URL): Promise<void> {
    const { url, ca, dialTimeoutMs } = this.#options;
    const { signal } = this.#dialing;
    try {
      const socket = await dialHubByProxy({ url, ca, dialTimeoutMs, proxy }, signal);
      if (signal.aborted) {
        socket.on("error", () => undefined); // it was given up meanwhile
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

  /** Resolves when requests can go out. Rejects with what stands in the way: Node's error, or that it was closed. */
  get opened(): Promise<void> {
    return this.#opened.promise;
  }

  /** Whether that stream is one of its own. */
  carries(stream: ClientHttp2Stream): boolean {
    return this.#session !== undefined && stream.session === this.#session;
  }

  /** Whether it takes another request; one that was quiet for long is asked first. What does not answer in time is over. */
  async isUsable(): Promise<boolean> {
    const session = this.#session;
    if (this.#isRetired || session === undefined || session.closed || session.destroyed) return false;
    const quietMs = this.#options.clock.nowMs() - this.#heardAtMs;
    return quietMs <= this.#options.pingIntervalMs || (await this.#askByPing());
  }

  /** Throws Node's error where the connection ended a moment ago. */
  request(headers: OutgoingHttpHeaders, options: ClientSessionRequestOptions): ClientHttp2Stream {
    assert(this.#session !== undefined, "requests go out once the link is open");
    const stream = this.#session.request(headers, options);
    this.#openCount += 1;
    if (this.#openCount === 1) this.#arm();
    stream.once("response", () => this.heard());
    stream.once("close", () => {
      this.#openCount -= 1;
      if (this.#openCount === 0) this.#arm();
    });
    return stream;
  }

  /** Something came from the hub. */
  heard(): void {
    this.#heardAtMs = this.#options.clock.nowMs();
  }

  /** Breaks off everything that is under way, the dial too. */
  destroy(reason: ConnectError): void {
    this.#end(reason);
    this.#dialing.abort(reason);
    this.#session?.destroy(reason, constants.NGHTTP2_CANCEL);
  }

  #open(): void {
    // Node tells of a connection also where it was destroyed while it was being opened.
    if (this.#session?.destroyed !== false) return;
    this.heard();
    this.#opened.resolve();
    this.#arm();
  }

  /** Takes no new request, and closes when those under way have ended. */
  #retire(): void {
    this.#noteRetired();
    // One without streams that was told to go away is not closed by Node itself.
    if (this.#openCount === 0) this.#session?.destroy();
    else this.#session?.close();
  }

  /** Before `opened` rejects: whoever dials again on hearing that must not be given this one. */
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

  /** While something is under way it is asked by PING when it was quiet for long; otherwise it closes after a while. */
  #arm(): void {
    this.#cancelTimer();
    if (this.#session?.destroyed !== false) return;
    const { clock, pingIntervalMs } = this.#options;
    if (this.#openCount === 0) this.#cancelTimer = clock.setTimer(idleTimeoutMs, () => this.#retire());
    else {
      const quietMs = clock.nowMs() - this.#heardAtMs;
      this.#cancelTimer = clock.setTimer(Math.max(0, pingIntervalMs - quietMs), () => void this.#look());
    }
  }

  async #look(): Promise<void> {
    if (this.#options.clock.nowMs() - this.#heardAtMs >= this.#options.pingIntervalMs) await this.#askByPing();
    this.#arm();
  }

  #askByPing(): Promise<boolean> {
    this.#ping ??= this.#sendPing().finally(() => {
      this.#ping = undefined;
    });
    return this.#ping;
  }

  /** Whether the hub has answered. Where it has not, the connection is over. */
  #sendPing(): Promise<boolean> {
    const { clock, pingTimeoutMs } = this.#options;
    const session = this.#session;
    if (session?.destroyed !== false) return Promise.resolve(false); // Node throws, and tells of the end in a moment
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const late = new ConnectError(`no answer to a PING within ${pingTimeoutMs} ms`, Code.Unavailable);
    let cancel = clock.setTimer(pingTimeoutMs, () => {
      // Where it was this process that had no time, the answer waits unread: it is read before the connection is judged.
      cancel = clock.setTimer(1, () => this.destroy(late));
    });
    const finish = (isAnswered: boolean): void => {
      cancel();
      session.off("close", onClose);
      if (isAnswered) this.heard();
      resolve(isAnswered);
    };
    // A session that closes in order forgets the PING.
    const onClose = (): void => finish(false);
    session.once("close", onClose);
    session.ping((failure) => finish(failure === null));
    return promise;
  }
}
