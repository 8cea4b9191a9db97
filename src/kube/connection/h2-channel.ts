// SPDX-License-Identifier: Apache-2.0
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from "node:http2";
import type { Socket } from "node:net";
import { abortReason, onAbort } from "../../base/abort.ts";
import type { CancelTimer, Clock } from "../../base/clock.ts";
import { systemCodeOf } from "../credentials/read-bounded.ts";
import { KubeError } from "../kube-error.ts";
import { NotTaken, type WireAnswer, type WireRequest } from "./channel.ts";
import { toNetworkError } from "./network-fault.ts";

/** 256 KiB for each request: what may wait here unread, and 2.5 MB/s at 100 ms of distance. */
const streamWindowBytes = 256 * 1024;

/** 1 MiB for all together. Node takes bytes off this window as they arrive, so it bounds what is on its way, not what waits. */
const connectionWindowBytes = 1024 * 1024;

/** What Node says of a request that it did not begin, because the session has ended or is about to. */
const neverSent: ReadonlySet<string> = new Set(["ERR_HTTP2_INVALID_SESSION", "ERR_HTTP2_GOAWAY_SESSION"]);

/** How a connection is kept honest, and who is told. */
export interface H2ChannelOptions {
  readonly origin: string;
  readonly clock: Clock;
  readonly pingIntervalMs: number;
  readonly pingTimeoutMs: number;
  /** Called once: no new request may go here. With an error where the connection broke, without one where the server asked for another or we closed it. */
  readonly onRetired: (error: KubeError | undefined) => void;
  /** Called once, after `onRetired`: nothing is under way any more. */
  readonly onClosed: () => void;
}

/** One HTTP/2 connection. Requests on it are independent; a PING without answer in time breaks it and all of them (KU1). */
export class H2Channel {
  readonly #session: ClientHttp2Session;
  readonly #options: H2ChannelOptions;
  #openCount = 0;
  #isRetired = false;
  #brokenBy: KubeError | undefined;
  #cancelTimer: CancelTimer = () => undefined;

  private constructor(session: ClientHttp2Session, options: H2ChannelOptions) {
    this.#session = session;
    this.#options = options;
    session.on("error", (reason: unknown) => {
      this.#brokenBy ??= toNetworkError(reason, `the connection to ${options.origin}`);
    });
    // With an error the connection is broken, which its end tells.
    session.once("goaway", (code) => {
      if (code === constants.NGHTTP2_NO_ERROR) this.#retire(undefined);
    });
    session.once("close", () => {
      this.#cancelTimer();
      this.#brokenBy ??= new KubeError("tcp", `the connection to ${options.origin}: the server closed it`);
      this.#retire(this.#brokenBy);
      options.onClosed();
    });
    this.#startPing();
  }

  /** Speaks HTTP/2 on an open socket, which then belongs to the channel. Resolves when the server has said its settings. */
  static async open(socket: Socket, options: H2ChannelOptions, signal: AbortSignal): Promise<H2Channel> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const session = connect(options.origin, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: streamWindowBytes },
    });
    // An alert that comes after the handshake, as TLS 1.3 has it for a client certificate, leaves Node's session and its socket open.
    socket.once("error", () => socket.destroy());
    const closed = new KubeError("tcp", `the connection to ${options.origin}: the server closed it`);
    // These stay: the first failure is the one that is told, and one that nobody listens to would end the process.
    session
      .once("remoteSettings", () => resolve())
      .on("error", reject)
      .once("close", () => reject(closed));
    const unlisten = onAbort(signal, () => reject(abortReason(signal)));
    try {
      await promise;
      // A server may say its settings and farewell in one breath.
      if (session.destroyed) throw closed;
    } catch (reason) {
      session.destroy();
      throw reason;
    } finally {
      unlisten();
    }
    session.setLocalWindowSize(connectionWindowBytes);
    return new H2Channel(session, options);
  }

  /** True where another request may go out now: neither is it closing nor does it have as many as the server takes at once. */
  get hasRoom(): boolean {
    // Node tells that a session has ended some turns after it has.
    if (this.#isRetired || this.#session.closed || this.#session.destroyed) return false;
    const most = this.#session.remoteSettings.maxConcurrentStreams ?? Number.POSITIVE_INFINITY;
    return this.#openCount < most;
  }

  /** Sends a request. Rejects with NotTaken, a KubeError, or the signal's reason, which counts until the head has come. */
  send(request: WireRequest, signal: AbortSignal): Promise<WireAnswer> {
    return new Promise((resolve, reject) => {
      const stream = this.#request(request);
      let unlisten = (): void => undefined;
      const cancel = (): void => {
        unlisten();
        stream.close(constants.NGHTTP2_CANCEL);
        stream.destroy();
      };
      let failure: unknown;
      stream.on("error", (reason: unknown) => {
        failure ??= reason;
      });
      stream.once("response", (headers) => {
        unlisten();
        resolve({
          status: headers[":status"] ?? 0,
          headers: toHeaders(headers),
          stream,
          isWhole: () =>
            stream.rstCode === constants.NGHTTP2_NO_ERROR && !stream.aborted && this.#brokenBy === undefined,
          cancel,
        });
      });
      stream.once("close", () => {
        unlisten();
        this.#openCount -= 1;
        reject(this.#toError(stream.rstCode, failure));
      });
      unlisten = onAbort(signal, () => {
        cancel();
        reject(abortReason(signal));
      });
    });
  }

  /** Takes no new request and closes when those under way have ended. */
  retire(): void {
    this.#retire(undefined);
    this.#session.close();
  }

  /** Ends the connection and every request on it. */
  destroy(error: KubeError): void {
    this.#brokenBy ??= error;
    this.#retire(undefined);
    this.#session.destroy(error);
  }

  #request(request: WireRequest): ClientHttp2Stream {
    const headers: OutgoingHttpHeaders = {
      ":method": request.method,
      ":path": request.path,
      ":scheme": "https",
      ":authority": request.authority,
    };
    for (const [name, value] of Object.entries(request.headers))
      headers[name] = typeof value === "string" ? value : [...value];
    try {
      const stream = this.#session.request(headers, { endStream: request.body === undefined });
      this.#openCount += 1;
      if (request.body !== undefined) stream.end(request.body);
      return stream;
    } catch (reason) {
      // The session closed between our look at it and this call; nothing was sent.
      if (this.#session.closed || this.#session.destroyed)
        throw new NotTaken("the connection is closing", { cause: reason });
      throw reason;
    }
  }

  #toError(rstCode: number | undefined, failure: unknown): unknown {
    if (rstCode === constants.NGHTTP2_REFUSED_STREAM) return new NotTaken("the server did not take the request");
    if (neverSent.has(systemCodeOf(failure) ?? ""))
      return new NotTaken("the connection is closing", { cause: failure });
    if (rstCode === constants.NGHTTP2_ENHANCE_YOUR_CALM) {
      return new KubeError("overloaded", "the server asks for fewer requests at once", { cause: failure });
    }
    return (
      this.#brokenBy ??
      toNetworkError(failure ?? new KubeError("tcp", "the server closed the connection"), "the request")
    );
  }

  #retire(error: KubeError | undefined): void {
    if (this.#isRetired) return;
    this.#isRetired = true;
    this.#options.onRetired(error);
  }

  #startPing(): void {
    const { clock, pingIntervalMs, pingTimeoutMs, origin } = this.#options;
    this.#cancelTimer = clock.setTimer(pingIntervalMs, () => {
      if (this.#session.destroyed) return; // Node throws, and tells of the end in a moment
      this.#cancelTimer = clock.setTimer(pingTimeoutMs, () => {
        const error = new KubeError(
          "timeout",
          `the connection to ${origin}: no answer to a PING within ${pingTimeoutMs} ms`,
        );
        this.#brokenBy ??= error;
        this.#retire(error);
        this.#session.destroy(error);
      });
      this.#session.ping((failure) => {
        this.#cancelTimer();
        if (failure === null && !this.#session.destroyed) this.#startPing();
      });
    });
  }
}

function toHeaders(headers: IncomingHttpHeaders): Map<string, string> {
  const named = Object.entries(headers).filter(([name]) => !name.startsWith(":"));
  return new Map(named.map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]));
}
