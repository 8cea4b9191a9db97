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
import type { CancelTimer, Clock } from "../../base/time/clock.ts";
import { keepAlive } from "../../base/time/keep-alive.ts";
import { systemCodeOf } from "../credentials/read-bounded.ts";
import { KubeError } from "../kube-error.ts";
import { NotTaken, type WireAnswer, type WireRequest } from "./channel.ts";
import { toNetworkError } from "./network-fault.ts";

/** Flow-control window of one stream: bounds unread bytes, and allows 2.5 MB/s at 100 ms round-trip time. */
const streamWindowBytes = 256 * 1024;

/**
 * Flow-control window of the connection. Node returns its bytes on arrival, so it bounds bytes in transit, not unread
 * ones.
 */
const connectionWindowBytes = 1024 * 1024;

/** Node's codes for a request that it did not send, because the session has ended or is ending. */
const neverSent: ReadonlySet<string> = new Set(["ERR_HTTP2_INVALID_SESSION", "ERR_HTTP2_GOAWAY_SESSION"]);

/** How a connection is checked, and callbacks for its end. */
export interface H2ChannelOptions {
  readonly origin: string;
  readonly clock: Clock;
  readonly pingIntervalMs: number;
  readonly pingTimeoutMs: number;
  /**
   * Called once when no new request may use the channel. With an error if the connection broke, without one if the
   * server sent GOAWAY or we closed it.
   */
  readonly onRetired: (error: KubeError | undefined) => void;
  /** Called once, after `onRetired`, when no request is open any more. */
  readonly onClosed: () => void;
}

/**
 * One HTTP/2 connection. Its requests are independent. A PING without answer in time breaks the connection and all
 * requests (KU1).
 */
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
    // With an error code the connection is broken, which `close` reports.
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

  /**
   * Starts HTTP/2 on an open socket, which then belongs to the channel. Resolves when the server has sent its settings.
   */
  static async open(socket: Socket, options: H2ChannelOptions, signal: AbortSignal): Promise<H2Channel> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const session = connect(options.origin, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: streamWindowBytes },
    });
    // A TLS alert after the handshake, as TLS 1.3 sends for a refused client certificate, leaves Node's session and
    // socket open.
    socket.once("error", () => socket.destroy());
    const closed = new KubeError("tcp", `the connection to ${options.origin}: the server closed it`);
    // These listeners stay. The first failure is reported; an `error` event without listener would end the process.
    session
      .once("remoteSettings", () => resolve())
      .on("error", reject)
      .once("close", () => reject(closed));
    const unlisten = onAbort(signal, () => reject(abortReason(signal)));
    try {
      await promise;
      // A server may send SETTINGS and GOAWAY together.
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

  /**
   * True if another request may be sent now: the channel is not closing and below the server's limit of concurrent
   * streams.
   */
  get hasRoom(): boolean {
    // Node reports the end of a session some turns late.
    if (this.#isRetired || this.#session.closed || this.#session.destroyed) return false;
    const most = this.#session.remoteSettings.maxConcurrentStreams ?? Number.POSITIVE_INFINITY;
    return this.#openCount < most;
  }

  /**
   * Sends a request. Rejects with NotTaken, a KubeError, or the signal's reason. The signal applies until the response
   * headers arrive.
   */
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

  /** Accepts no new request, and closes when the open ones have ended. */
  retire(): void {
    this.#retire(undefined);
    this.#session.close();
  }

  /** Ends the connection and all its requests. */
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
      // The session closed between the check and this call; nothing was sent.
      if (this.#session.closed || this.#session.destroyed)
        throw new NotTaken("the connection is closing", { cause: reason });
      throw reason;
    }
  }

  #toError(rstCode: number | undefined, failure: unknown): unknown {
    if (rstCode === constants.NGHTTP2_REFUSED_STREAM) return new NotTaken("the server did not accept the request");
    if (neverSent.has(systemCodeOf(failure) ?? ""))
      return new NotTaken("the connection is closing", { cause: failure });
    if (rstCode === constants.NGHTTP2_ENHANCE_YOUR_CALM) {
      return new KubeError("overloaded", "the server asks for fewer concurrent requests", { cause: failure });
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
    const onLate = (): void => {
      const text = `the connection to ${origin}: no answer to a PING within ${pingTimeoutMs} ms`;
      const error = new KubeError("timeout", text);
      this.#brokenBy ??= error;
      this.#retire(error);
      this.#session.destroy(error);
    };
    const intervals = { intervalMs: pingIntervalMs, timeoutMs: pingTimeoutMs };
    this.#cancelTimer = keepAlive(this.#session, { clock, ...intervals, onLate });
  }
}

function toHeaders(headers: IncomingHttpHeaders): Map<string, string> {
  const named = Object.entries(headers).filter(([name]) => !name.startsWith(":"));
  return new Map(named.map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]));
}
