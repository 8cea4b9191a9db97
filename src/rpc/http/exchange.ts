// SPDX-License-Identifier: Apache-2.0
import { constants, type Http2ServerResponse } from "node:http2";
import type { Logger } from "../../base/log.ts";
import { guardListener, type TaskGuard } from "../../base/task-guard.ts";
import type { CancelTimer, Clock } from "../../base/time/clock.ts";
import { otherMethod, type RpcMetrics } from "../server/rpc-metrics.ts";
import { type HttpRequest, type HttpResponse, headerOf } from "./http-types.ts";

/** Time limits of one request and its response. */
export interface ExchangeLimits {
  /** From the headers until a body with one message has arrived. */
  readonly bodyTimeoutMs: number;
  /** From the end of a response until the peer has received it. */
  readonly answerTimeoutMs: number;
}

export const defaultExchangeLimits: ExchangeLimits = {
  bodyTimeoutMs: 30_000, // 4 MB at 1.1 Mbit/s
  answerTimeoutMs: 30_000, // the same in the other direction
};

/**
 * 1 s: how long an unneeded body is still read after the response, so that the peer receives the response instead of a
 * reset.
 */
const lingerMs = 1_000;

/** What all exchanges of an endpoint share. */
export interface ExchangeContext {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: RpcMetrics;
  readonly limits: ExchangeLimits;
  /** Runs the work at the end of the response: metrics and the log line (L14). */
  readonly guard: TaskGuard;
}

export interface ExchangeOptions {
  readonly requestId: string;
  readonly context: ExchangeContext;
  /** Called once, when the sender is authenticated. */
  readonly noteAuthenticated: () => void;
}

/** One request and its response: the fields of its log line, and the deadlines of both directions. */
export class Exchange {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly requestId: string;
  /** Carries the request id in every line. */
  readonly log: Logger;
  /** The label of metrics and the `method` of the log line. */
  method = otherMethod;
  /** The result code. Undefined until the request is decided; logged as `canceled` if the peer left before that. */
  code: string | undefined;
  user: string | undefined;
  /** True for probes: their log lines have level debug. */
  isQuiet = false;
  requestBytes = 0;
  responseBytes = 0;
  /** True once the method's gate has decided; before that only the HTTP layer has seen the request. */
  isJudged = false;
  readonly #context: ExchangeContext;
  readonly #onAuthenticated: () => void;
  readonly #startedMs: number;
  readonly #cancelTimers: CancelTimer[] = [];
  #state: "open" | "ending" | "closed" = "open";
  #isPeerGone = false;
  #isAuthenticated = false;

  constructor(
    request: HttpRequest,
    response: HttpResponse,
    { requestId, context, noteAuthenticated }: ExchangeOptions,
  ) {
    this.request = request;
    this.response = response;
    this.requestId = requestId;
    this.log = context.log.with({ requestId });
    this.#context = context;
    this.#onAuthenticated = noteAuthenticated;
    this.#startedMs = context.clock.nowMs();
    // A broken connection may emit an error on the request, the response, both or neither, but it always closes the
    // response.
    const ignore = (): void => undefined;
    request.on("error", ignore);
    response.on("error", ignore);
    response.once(
      "close",
      guardListener(context.guard, "end of a request", () => this.#finish()),
    );
  }

  /** The path without the query. */
  get path(): string {
    return pathOf(this.request.url);
  }

  /** True if the peer left before its answer was complete. */
  get isPeerGone(): boolean {
    return this.#isPeerGone;
  }

  /** True once the response has closed, sent or not. Nothing more reaches the peer. */
  get isClosed(): boolean {
    return this.#state === "closed";
  }

  /** True once the sender is authenticated, by a credential in the headers or inside its stream. */
  get isAuthenticated(): boolean {
    return this.#isAuthenticated;
  }

  noteAuthenticated(): void {
    if (this.#isAuthenticated) return;
    this.#isAuthenticated = true;
    this.#onAuthenticated();
  }

  notePeerGone(): void {
    this.#isPeerGone = true;
  }

  header(name: string): string | undefined {
    return headerOf(this.request, name);
  }

  /**
   * Calls `onLate` if a body with one message misses its deadline. The caller must answer then; the rest of the body is
   * cut after the answer.
   */
  expectBody(onLate: () => void): CancelTimer {
    const { clock, limits, metrics } = this.#context;
    if (this.#state === "closed") return () => undefined;
    const cancel = clock.setTimer(limits.bodyTimeoutMs, () => {
      metrics.connectionCut("body");
      onLate();
    });
    this.#cancelTimers.push(cancel);
    return cancel;
  }

  get bodyTimeoutMs(): number {
    return this.#context.limits.bodyTimeoutMs;
  }

  /**
   * Starts the deadlines for the peer to receive the response and to stop sending. Call it when the last byte is
   * written, or when the response is about to end.
   */
  expectEnd(): void {
    if (this.#state !== "open") return;
    this.#state = "ending";
    const { clock, limits, metrics } = this.#context;
    if (!isHttp2(this.response)) this.request.resume(); // not needed on HTTP/2, which has flow control
    this.#cancelTimers.push(
      clock.setTimer(lingerMs, () => this.#stopBody()),
      clock.setTimer(limits.answerTimeoutMs, () => {
        metrics.connectionCut("answer");
        this.#destroy();
      }),
    );
  }

  /** Makes the peer stop sending its body. */
  #stopBody(): void {
    const { request, response } = this;
    if (isHttp2(response)) {
      if (!request.readableEnded && response.writableEnded) response.stream.close(constants.NGHTTP2_NO_ERROR);
    } else if (!request.complete) {
      request.socket.destroy();
    }
  }

  #destroy(): void {
    if (isHttp2(this.response)) this.response.stream.close(constants.NGHTTP2_CANCEL);
    else this.request.socket.destroy();
  }

  #finish(): void {
    this.#state = "closed";
    const { socket, complete } = this.request;
    if (isHttp2(this.response) || complete || socket.destroyed) this.#cancelAll();
    else this.#cancelWhenBodyEnds();
    const { metrics, clock } = this.#context;
    const call = { method: this.method, code: this.code ?? "canceled", tookMs: clock.nowMs() - this.#startedMs };
    metrics.callFinished(call);
    const fields = {
      ...call,
      tookMs: Math.round(call.tookMs * 1_000) / 1_000,
      status: this.response.statusCode,
      user: this.user,
      requestBytes: this.requestBytes,
      responseBytes: this.responseBytes,
    };
    if (this.isQuiet) this.log.debug("request served", fields);
    else this.log.info("request served", fields);
  }

  /**
   * On HTTP/1.1 the response may close while the connection still receives the body. The deadline stays until the body
   * or the connection ends.
   */
  #cancelWhenBodyEnds(): void {
    const { request } = this;
    const { socket } = request;
    const onEnd = (): void => {
      request.off("close", onEnd);
      socket.off("close", onEnd);
      this.#cancelAll();
    };
    request.once("close", onEnd);
    socket.once("close", onEnd);
  }

  #cancelAll(): void {
    for (const cancel of this.#cancelTimers.splice(0)) cancel();
  }
}

function isHttp2(response: HttpResponse): response is Http2ServerResponse {
  return "stream" in response;
}

/** The path of a request's URL, without the query. */
export function pathOf(url = ""): string {
  const end = url.indexOf("?");
  return end === -1 ? url : url.slice(0, end);
}
